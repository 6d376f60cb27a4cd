"""Token ids on disk, made once and mapped into memory, so that a corpus need not fit in it.

A store is a folder named by its content: the reader's text, the two vocabularies, the format.

    meta.json            numbers of pairs, types and sizes of the files, where the pairs came from
    source.ids           all ids, one sentence after the other      target.ids
    source.offsets       where sentence i begins, int64, n + 1      target.offsets
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._copying import encode_pairs
from saccade.nouns import Example
from saccade.readers.base import Reader
from saccade.tokenizers._vocabulary import Vocabulary

FORMAT: Final = 1
_CHUNK: Final = 2000
_SIDES: Final = ("source", "target")
_DAY: Final = 86400.0


class Pairs(ABC):
    """Pairs of sequences that batches can be cut from."""

    source_lengths: NDArray[np.int32]
    target_lengths: NDArray[np.int32]

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def pair(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return both sides of pair `i`."""

    @abstractmethod
    def origin(self, i: int) -> str:
        """Name the file and line that pair `i` came from."""


@final
class Store(Pairs):
    """Pairs of id sequences, read from the disk as they are asked for."""

    def __init__(self, folder: Path) -> None:
        meta = _meta(folder)
        self.folder = folder
        self._n = int(meta["pairs"])
        self._origins: list[tuple[int, str, int]] = [(a, b, c) for a, b, c in meta["origins"]]
        self._starts = np.array([run[0] for run in self._origins], dtype=np.int64)
        self._ids = {side: _map(folder / f"{side}.ids", meta["types"][side]) for side in _SIDES}
        self._offsets = {side: _map(folder / f"{side}.offsets", "int64") for side in _SIDES}
        self.source_lengths = np.diff(self._offsets["source"]).astype(np.int32)
        self.target_lengths = np.diff(self._offsets["target"]).astype(np.int32)

    def __len__(self) -> int:
        return self._n

    def pair(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the ids of both sides of pair `i`, without START and END."""
        return self._side("source", i), self._side("target", i)

    def origin(self, i: int) -> str:
        """Name the file and line that pair `i` came from."""
        start, name, number = self._origins[int(np.searchsorted(self._starts, i, "right")) - 1]
        return f"{name}:{number + i - start}" if number >= 0 else name

    def _side(self, side: str, i: int) -> NDArray[Any]:
        offsets = self._offsets[side]
        return self._ids[side][int(offsets[i]) : int(offsets[i + 1])]


def default_folder() -> Path:
    """Return where stores are kept: `$SACCADE_HOME/store`, or `~/.cache/saccade/data/store`."""
    home = os.environ.get("SACCADE_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "saccade") / "store"


def build(reader: Reader, source: Vocabulary, target: Vocabulary, folder: Path) -> Store:
    """Open the store of what `reader` reads, and write it first if it is not there or not whole.

    It is written aside and renamed, so that others who build it at the same time, or a power cut,
    leave a whole store or none.
    """
    key = _key(reader, source, target)
    place = folder / key
    if not _is_whole(place):
        _make_folder(folder)
        _sweep(folder)
        aside = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=folder))
        try:
            _write(reader, source, target, aside)
            _install(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return Store(place)


def _key(reader: Reader, source: Vocabulary, target: Vocabulary) -> str:
    content = [FORMAT, reader.fingerprint(), source.fingerprint, target.fingerprint]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _write(reader: Reader, source: Vocabulary, target: Vocabulary, folder: Path) -> None:
    writers = [_Writer(folder, "source", len(source)), _Writer(folder, "target", len(target))]
    runs = _Runs()
    examples = reader.read()
    try:
        for chunk in _chunks(examples):
            sides = [e.source for e in chunk], [e.target for e in chunk]
            for writer, encoded in zip(writers, encode_pairs(source, target, *sides), strict=True):
                writer.add(encoded)
            for example in chunk:
                runs.add(example.origin)
    finally:
        for writer in writers:
            writer.close()
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    meta = {
        "format": FORMAT,
        "pairs": runs.n,
        "types": {writer.side: writer.type for writer in writers},
        "sizes": sizes,
        "origins": runs.runs,
    }
    with (folder / "meta.json").open("w", encoding="utf-8") as file:
        json.dump(meta, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())


class _Writer:
    """Appends the ids of one side to its two files."""

    def __init__(self, folder: Path, side: str, size: int) -> None:
        self.side = side
        self.type = "uint16" if size < 65536 else "uint32"
        self._ids = (folder / f"{side}.ids").open("wb")
        self._offsets = (folder / f"{side}.offsets").open("wb")
        self._end = 0
        self._offsets.write(np.zeros(1, dtype=np.int64).tobytes())

    def add(self, encoded: list[list[int]]) -> None:
        ends = self._end + np.cumsum([len(ids) for ids in encoded], dtype=np.int64)
        flat = [i for ids in encoded for i in ids]
        self._ids.write(np.array(flat, dtype=self.type).tobytes())
        self._offsets.write(ends.tobytes())
        self._end = int(ends[-1])

    def close(self) -> None:
        for file in (self._ids, self._offsets):
            file.flush()
            os.fsync(file.fileno())
            file.close()


class _Runs:
    """Keeps origins as runs of following lines: [first pair, file, first line]."""

    def __init__(self) -> None:
        self.runs: list[tuple[int, str, int]] = []
        self.n = 0

    def add(self, origin: str) -> None:
        name, _, digits = origin.rpartition(":")
        number = int(digits) if name and digits.isascii() and digits.isdigit() else -1
        name = name if number >= 0 else origin
        if not self.runs or not self._follows(name, number):
            self.runs.append((self.n, name, number))
        self.n += 1

    def _follows(self, name: str, number: int) -> bool:
        start, last, first = self.runs[-1]
        return name == last and number == (first + self.n - start if first >= 0 else -1)


def _chunks(examples: Iterator[Example]) -> Iterator[list[Example]]:
    while chunk := list(islice(examples, _CHUNK)):
        yield chunk


def _install(aside: Path, place: Path) -> None:
    """Rename `aside` to `place`; somebody else's whole store stays, a broken one gives way."""
    for _ in range(10):
        try:
            aside.rename(place)
        except OSError:
            if _is_whole(place):
                return
            if not place.exists():
                raise
            broken = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
            place.rename(broken)
            shutil.rmtree(broken, ignore_errors=True)
        else:
            return
    raise DataError(
        f"{place}: a broken store comes back as often as it is removed; expected to replace it."
        " Is another program writing there? Set SACCADE_HOME to another folder."
    )


def _is_whole(folder: Path) -> bool:
    try:
        meta = _meta(folder)
        sizes: dict[str, int] = meta["sizes"]
        return meta["format"] == FORMAT and all(
            (folder / name).stat().st_size == size for name, size in sizes.items()
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _meta(folder: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return meta


def _map(path: Path, kind: str) -> NDArray[Any]:
    if path.stat().st_size == 0:  # an empty file cannot be mapped
        return np.zeros(0, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r").view(np.ndarray)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder}: the store's folder cannot be made ({error.strerror}); expected a place to"
            " write. Set SACCADE_HOME to one."
        ) from None


def _sweep(folder: Path) -> None:
    """Remove what builders that were killed left behind, a day later."""
    for left in folder.glob(".*-*"):
        try:
            if time.time() - left.stat().st_mtime > _DAY:
                shutil.rmtree(left, ignore_errors=True)
        except FileNotFoundError:  # another builder swept it
            continue
