"""Encoded examples on disk, made once and mapped into memory: a corpus need not fit in it.

A store is a folder named by its content: the reader's data, the codecs, the format.

    meta.json           numbers of pairs, types and sizes of the files, where the pairs came from
    NAME.values         the arrays of one side, one after the other; a side is a source or `target`
    NAME.offsets        where array i begins, int64, n + 1
    NAME.shapes         the shape of array i, int32, n x dimensions; absent if there is only one
    owners              which example each target belongs to, int32; absent if it is one for one

A pair is one target with its sources. An example with several references is several pairs, whose
sources are stored once.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from saccade.data.codecs import TARGET, Codecs
from saccade.errors import DataError
from saccade.modalities.base import Array
from saccade.nouns import Example
from saccade.readers.base import Reader

FORMAT: Final = 2
_CHUNK: Final = 2000
_DAY: Final = 86400.0


class StoredPair(NamedTuple):
    """The arrays of one pair: sources by name, and the target."""

    sources: Mapping[str, Array]
    target: Array


@final
class Store:
    """Encoded pairs, read from the disk as they are asked for.

    lengths: places of each pair, by side.
    """

    def __init__(self, folder: Path, codecs: Codecs) -> None:
        meta = _meta(folder)
        self.folder = folder
        self._n = int(meta["pairs"])
        self._origins: list[tuple[int, str, int]] = [(a, b, c) for a, b, c in meta["origins"]]
        self._starts = np.array([run[0] for run in self._origins], dtype=np.int64)
        self._sources = {
            name: _Arrays(folder, name, meta["sides"][name]) for name in codecs.sources
        }
        self._target = _Arrays(folder, TARGET, meta["sides"][TARGET])
        path = folder / "owners"
        self._owners = _map(path, "int32") if path.exists() else None
        self.lengths = {TARGET: codecs.target.lengths(self._target.shapes)}
        for name, codec in codecs.sources.items():
            own = codec.lengths(self._sources[name].shapes)
            self.lengths[name] = own if self._owners is None else own[self._owners]

    def __len__(self) -> int:
        return self._n

    def pair(self, i: int) -> StoredPair:
        """Return the arrays of pair `i`."""
        owner = i if self._owners is None else int(self._owners[i])
        sources = {name: arrays.array(owner) for name, arrays in self._sources.items()}
        return StoredPair(sources, self._target.array(i))

    def references(self, i: int) -> list[Array]:
        """Return the targets of all pairs of the example that pair `i` belongs to."""
        if self._owners is None:
            return [self._target.array(i)]
        owner = self._owners[i]
        first, end = (int(np.searchsorted(self._owners, owner, side)) for side in ("left", "right"))
        return [self._target.array(j) for j in range(first, end)]

    def examples(self) -> Iterator[int]:
        """Yield the first pair of every example."""
        if self._owners is None:
            return iter(range(self._n))
        return iter(np.unique(self._owners, return_index=True)[1].tolist())

    def flat(self, side: str) -> Array:
        """Return the values of all arrays of a side, one after the other."""
        return (self._target if side == TARGET else self._sources[side]).values

    def origin(self, i: int) -> str:
        """Name the file and line that pair `i` came from."""
        start, name, number = self._origins[int(np.searchsorted(self._starts, i, "right")) - 1]
        return f"{name}:{number + i - start}" if number >= 0 else name


class _Arrays:
    """The arrays of one side."""

    def __init__(self, folder: Path, name: str, about: Mapping[str, Any]) -> None:
        self.values = _map(folder / f"{name}.values", about["dtype"])
        self._offsets = _map(folder / f"{name}.offsets", "int64")
        n_dims = int(about["dimensions"])
        if n_dims == 1:
            self.shapes = np.diff(self._offsets).astype(np.int32)[:, None]  # [n, 1]
        else:
            self.shapes = _map(folder / f"{name}.shapes", "int32").reshape(-1, n_dims)
        self._flat = n_dims == 1

    def array(self, i: int) -> Array:
        values = self.values[int(self._offsets[i]) : int(self._offsets[i + 1])]
        return values if self._flat else values.reshape(self.shapes[i])


def default_folder() -> Path:
    """Return where stores are kept: `$SACCADE_HOME/store`, or `~/.cache/saccade/store`."""
    home = os.environ.get("SACCADE_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "saccade") / "store"


def build(reader: Reader, codecs: Codecs, folder: Path) -> Store:
    """Open the store of what `reader` reads, and write it first if it is not there or not whole.

    It is written aside and renamed, so that others who build it at the same time, or a power cut,
    leave a whole store or none.
    """
    key = _key(reader, codecs)
    place = folder / key
    if not _is_whole(place):
        _make_folder(folder)
        _sweep(folder)
        aside = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=folder))
        try:
            _write(reader, codecs, aside)
            _install(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return Store(place, codecs)


def _key(reader: Reader, codecs: Codecs) -> str:
    sides = [(name, codec.fingerprint) for name, codec in codecs.sides.items()]
    content = [FORMAT, reader.fingerprint(), sides]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _write(reader: Reader, codecs: Codecs, folder: Path) -> None:
    writers = {name: _Writer(folder, name, codec.dtype) for name, codec in codecs.sides.items()}
    runs, owners = _Runs(), list[int]()
    n_examples = 0
    try:
        for chunk in _chunks(reader.read()):
            for name, arrays in codecs.encode(chunk).items():
                writers[name].add(arrays)
            for owner, example in enumerate(chunk, start=n_examples):
                for _ in example.references:
                    runs.add(example.origin)
                    owners.append(owner)
            n_examples += len(chunk)
    finally:
        for writer in writers.values():
            writer.close()
    if n_examples != runs.n:
        (folder / "owners").write_bytes(np.array(owners, dtype=np.int32).tobytes())
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    meta = {
        "format": FORMAT,
        "pairs": runs.n,
        "sides": {name: writer.about for name, writer in writers.items()},
        "sizes": sizes,
        "origins": runs.runs,
    }
    with (folder / "meta.json").open("w", encoding="utf-8") as file:
        json.dump(meta, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())


class _Writer:
    """Appends the arrays of one side to its files."""

    def __init__(self, folder: Path, name: str, dtype: str) -> None:
        self._dtype, self._n_dims, self._end = dtype, 1, 0
        self._values = (folder / f"{name}.values").open("wb")
        self._offsets = (folder / f"{name}.offsets").open("wb")
        self._shapes = (folder / f"{name}.shapes").open("wb")
        self._offsets.write(np.zeros(1, dtype=np.int64).tobytes())

    @property
    def about(self) -> dict[str, Any]:
        return {"dtype": self._dtype, "dimensions": self._n_dims}

    def add(self, arrays: list[Array]) -> None:
        if not arrays:
            return
        ends = self._end + np.cumsum([array.size for array in arrays], dtype=np.int64)
        flat = np.concatenate([array.ravel() for array in arrays])
        self._values.write(flat.astype(self._dtype).tobytes())
        self._offsets.write(ends.tobytes())
        self._end, self._n_dims = int(ends[-1]), arrays[0].ndim
        if self._n_dims > 1:
            self._shapes.write(np.array([a.shape for a in arrays], dtype=np.int32).tobytes())

    def close(self) -> None:
        for file in (self._values, self._offsets, self._shapes):
            file.flush()
            os.fsync(file.fileno())
            file.close()
        if self._n_dims == 1:
            Path(self._shapes.name).unlink()


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
