"""Encoded examples appended to files chunk by chunk, so that a build that was killed can go on.

While a store is built its folder also holds

    journal.json        how many examples are done, and size and checksum of every file by then
    origins             where the examples came from, a run of following lines each
    lock                held by the process that writes

A builder that finds a journal cuts every file back to the size it names, compares checksums, and
goes on behind the last chunk. What comes out has the same bytes as if nothing had happened.
"""

import json
import os
import shutil
import sys
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, final

import numpy as np

from saccade.data.codecs import Codecs
from saccade.data.progress import say
from saccade.modalities.base import Array
from saccade.nouns import Example

if sys.platform != "win32":
    import fcntl

FORMAT: Final = 3
META: Final = "meta.json"
OWNERS: Final = "owners"
_JOURNAL: Final = "journal.json"
_ORIGINS: Final = "origins"
_LOCK: Final = "lock"
_BLOCK: Final = 1 << 20  # bytes that are read at once


@final
class Builder:
    """Writes the files of one store with these `sides`; `n_examples` are there already."""

    def __init__(self, folder: Path, codecs: Codecs, sides: Collection[str]) -> None:
        self._folder, self._codecs = folder, codecs
        journal = _journal(folder)
        dimensions = journal.get("dimensions", {})
        self.n_examples = int(journal.get("examples", 0))
        self._n_pairs = int(journal.get("pairs", 0))
        opener = _Opener(folder, journal.get("files", {}))
        self._files = opener.opened
        self._sides = {
            name: _Side(name, codec.dtype, dimensions.get(name, 1), opener)
            for name, codec in codecs.sides.items()
            if name in sides
        }
        self._owners = opener.open(OWNERS)
        self._runs = _Runs(opener.open(_ORIGINS), self.n_examples)

    def add(self, examples: Sequence[Example]) -> None:
        """Encode examples and append them; then write down how far all files are."""
        for name, arrays in self._codecs.encode(examples, self._sides).items():
            self._sides[name].add(arrays)
        counts = [len(example.references) for example in examples]
        owners = np.repeat(np.arange(len(examples), dtype=np.int32) + self.n_examples, counts)
        self._owners.write(owners.tobytes())
        for example in examples:
            self._runs.add(example.origin)
        self.n_examples += len(examples)
        self._n_pairs += sum(counts)
        self._note()

    def finish(self) -> None:
        """Sync all files and write meta.json; leave nothing else but the lock."""
        runs = self._runs.all()
        spare = [_ORIGINS, *(name for side in self._sides.values() for name in side.spare)]
        if self._n_pairs == self.n_examples:
            spare.append(OWNERS)
        for name, file in self._files.items():
            file.close(sync=name not in spare)
        for name in spare:
            (self._folder / name).unlink()
        kept = sorted(name for name in self._files if name not in spare)
        meta = {
            "format": FORMAT,
            "pairs": self._n_pairs,
            "sides": {name: side.about for name, side in self._sides.items()},
            "sizes": {name: self._files[name].size for name in kept},
            "origins": runs,
        }
        with (self._folder / META).open("w", encoding="utf-8") as written:
            json.dump(meta, written, ensure_ascii=False)
            written.flush()
            os.fsync(written.fileno())
        (self._folder / _JOURNAL).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the files, as they are."""
        for file in self._files.values():
            file.close()

    def _note(self) -> None:
        for file in self._files.values():
            file.flush()
        content = {
            "format": FORMAT,
            "examples": self.n_examples,
            "pairs": self._n_pairs,
            "dimensions": {name: side.n_dims for name, side in self._sides.items()},
            "files": {name: [file.size, file.checksum] for name, file in self._files.items()},
        }
        aside = self._folder / f"{_JOURNAL}.part"
        aside.write_text(json.dumps(content), encoding="utf-8")
        aside.replace(self._folder / _JOURNAL)


@contextmanager
def claimed(folder: Path) -> Iterator[Path | None]:
    """Make a folder and hold its lock, which ends with the process; wait while another holds it.

    Yields None where there are no locks: on Windows, and on some network drives.
    """
    while True:
        folder.mkdir(exist_ok=True)
        try:
            file = (folder / _LOCK).open("a")
        except FileNotFoundError:  # another builder has just moved the folder to its place
            continue
        with file:
            if not _lock(file, wait=True):
                shutil.rmtree(folder, ignore_errors=True)
                yield None
                return
            if _is_at(file, folder / _LOCK):
                yield folder
                return


def is_abandoned(folder: Path) -> bool:
    """Tell whether nobody holds the lock of a folder."""
    try:
        with (folder / _LOCK).open("r") as file:
            return _lock(file, wait=False)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def release(folder: Path) -> None:
    """Remove the lock of a folder that is whole and in its place."""
    (folder / _LOCK).unlink(missing_ok=True)


def _lock(file: IO[str], *, wait: bool) -> bool:
    """Take a lock; where another process has it, wait, or say no."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if not wait:
            return False
        say("Another process is encoding the same data; waiting for it.")
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return False
    return True


def _is_at(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


class _Appended:
    """A file that only grows, with its size and the checksum of all its bytes."""

    def __init__(self, path: Path, size: int, checksum: int) -> None:
        self.size, self.checksum = size, checksum
        self._file = path.open("r+b" if size else "wb")
        self._file.truncate(size)
        self._file.seek(size)

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)
        self.checksum = zlib.crc32(data, self.checksum)

    def flush(self) -> None:
        self._file.flush()

    def content(self) -> bytes:
        self._file.flush()
        return Path(self._file.name).read_bytes()

    def close(self, *, sync: bool = False) -> None:
        if not self._file.closed and sync:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.close()


class _Opener:
    """Opens the files of a store where a journal says that they ended."""

    def __init__(self, folder: Path, known: dict[str, Any]) -> None:
        self._folder, self._known = folder, known
        self.opened: dict[str, _Appended] = {}

    def open(self, name: str) -> _Appended:
        size, checksum = self._known.get(name, (0, 0))
        self.opened[name] = _Appended(self._folder / name, size, checksum)
        return self.opened[name]


class _Side:
    """Appends the arrays of one side to its files."""

    def __init__(self, name: str, dtype: str, n_dims: int, opener: _Opener) -> None:
        self._name, self._dtype, self.n_dims = name, np.dtype(dtype), n_dims
        self._values = opener.open(f"{name}.values")
        self._offsets = opener.open(f"{name}.offsets")
        self._shapes = opener.open(f"{name}.shapes")
        if not self._offsets.size:
            self._offsets.write(np.zeros(1, dtype=np.int64).tobytes())

    @property
    def about(self) -> dict[str, Any]:
        return {"dtype": self._dtype.name, "dimensions": self.n_dims}

    @property
    def spare(self) -> list[str]:
        """Files that say nothing: the shapes of arrays that have one dimension."""
        return [f"{self._name}.shapes"] if self.n_dims == 1 else []

    def add(self, arrays: Sequence[Array]) -> None:
        if not arrays:
            return
        end = self._values.size // self._dtype.itemsize
        ends = end + np.cumsum([array.size for array in arrays], dtype=np.int64)
        flat = np.concatenate([array.ravel() for array in arrays])
        self._values.write(flat.astype(self._dtype, copy=False).tobytes())
        self._offsets.write(ends.tobytes())
        self.n_dims = arrays[0].ndim
        if self.n_dims > 1:
            self._shapes.write(np.array([a.shape for a in arrays], dtype=np.int32).tobytes())


class _Runs:
    """Keeps origins as runs of following lines: [first example, file, first line]."""

    def __init__(self, file: _Appended, n: int) -> None:
        self._file, self._n = file, n
        self._last: list[Any] | None = (self.all() or [None])[-1]

    def all(self) -> list[Any]:
        """Return every run, read from the file."""
        return [json.loads(line) for line in self._file.content().splitlines()]

    def add(self, origin: str) -> None:
        name, _, digits = origin.rpartition(":")
        number = int(digits) if name and digits.isascii() and digits.isdigit() else -1
        name = name if number >= 0 else origin
        if self._last is None or not self._follows(self._last, name, number):
            self._last = [self._n, name, number]
            self._file.write(json.dumps(self._last).encode() + b"\n")
        self._n += 1

    def _follows(self, run: list[Any], name: str, number: int) -> bool:
        start, last, first = run
        return bool(name == last and number == (first + self._n - start if first >= 0 else -1))


def _journal(folder: Path) -> dict[str, Any]:
    """Read a journal, if there is one that all files agree with."""
    try:
        found: dict[str, Any] = json.loads((folder / _JOURNAL).read_text(encoding="utf-8"))
        good = found["format"] == FORMAT and all(
            _checksum(folder / name, size) == checksum
            for name, (size, checksum) in found["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found if good else {}


def _checksum(path: Path, size: int) -> int:
    """Return the checksum of the first bytes of a file."""
    found = 0
    with path.open("rb") as file:
        for start in range(0, size, _BLOCK):
            block = file.read(min(_BLOCK, size - start))
            if not block:
                raise ValueError(f"{path} has no {size} bytes")
            found = zlib.crc32(block, found)
    return found
