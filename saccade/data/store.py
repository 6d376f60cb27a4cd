"""Encoded examples on disk, made once and mapped into memory: a corpus need not fit in it.

A store is a folder named by its content: the reader's data, the codecs, the format.

    meta.json           numbers of pairs, types and sizes of the files, where examples came from
    NAME.values         the arrays of one side, one after the other; a side is a source or `target`
    NAME.offsets        where array i begins, int64, n + 1
    NAME.shapes         the shape of array i, int32, n x dimensions; absent if there is only one
    owners              which example each target belongs to, int32; absent if it is one for one

A pair is one target with its sources. An example with several references is several pairs, whose
sources are stored once. A source that takes long to encode has a folder of its own: it stays when
the vocabulary of the target is another.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from saccade.data.builder import FORMAT, META, OWNERS, Builder, claimed, is_abandoned, release
from saccade.data.codecs import TARGET, Codecs
from saccade.data.progress import EncodingProgress
from saccade.errors import DataError, SaccadeError
from saccade.modalities.base import Array, Codec
from saccade.models.base import LaidSide
from saccade.readers.base import Reader

_WEEK: Final = 7 * 86400.0
_BLOCK: Final = 1 << 20  # offsets in memory at once


class StoredPair(NamedTuple):
    """The arrays of one pair: sources by name, and the target."""

    sources: Mapping[str, Array]
    target: Array


@final
class Store:
    """Encoded pairs, read from the disk as they are asked for.

    lengths: places of each pair, by side, counted anew whenever they are asked for: a corpus may
    have very many.

    Args:
        folder: of the store.
        codecs: of all sides.
        apart: the folders of sources that have one of their own.
    """

    def __init__(
        self, folder: Path, codecs: Codecs, apart: Mapping[str, Path] | None = None
    ) -> None:
        meta = _meta(folder)
        self.folder = folder
        self._n = int(meta["pairs"])
        self._origins: list[tuple[int, str, int]] = [(a, b, c) for a, b, c in meta["origins"]]
        self._starts = np.array([run[0] for run in self._origins], dtype=np.int64)
        abouts = {name: (folder, meta["sides"].get(name)) for name in codecs.sources}
        for name, place in (apart or {}).items():
            abouts[name] = place, _meta(place)["sides"][name]
        self._sources = {name: _Arrays(place, name, own) for name, (place, own) in abouts.items()}
        self._target = _Arrays(folder, TARGET, meta["sides"][TARGET])
        path = folder / OWNERS
        self._owners = _map(path, "int32") if path.exists() else None
        self.lengths = _Lengths(
            {name: self._counter(name, codec) for name, codec in codecs.sides.items()}
        )

    def __len__(self) -> int:
        return self._n

    def _counter(self, name: str, codec: Codec) -> Callable[[], NDArray[np.int32]]:
        arrays, owners = (
            (self._target, None) if name == TARGET else (self._sources[name], self._owners)
        )

        def count() -> NDArray[np.int32]:
            own = codec.lengths(arrays.shapes)
            return own if owners is None else own[owners]

        return count

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

    def laid(self, side: str) -> LaidSide:
        """Return the arrays of a side end to end, one for each pair; they have one or two axes."""
        arrays = self._target if side == TARGET else self._sources[side]
        found, owners = arrays.laid(), None if side == TARGET else self._owners
        return found if owners is None else found.rows(owners)

    def origin(self, i: int) -> str:
        """Name the file and line that pair `i` came from."""
        owner = i if self._owners is None else int(self._owners[i])
        run = int(np.searchsorted(self._starts, owner, "right")) - 1
        start, name, number = self._origins[run]
        return f"{name}:{number + owner - start}" if number >= 0 else name


class _Lengths(Mapping[str, NDArray[np.int32]]):
    """Counts the places of a side when it is asked for."""

    def __init__(self, counters: Mapping[str, Callable[[], NDArray[np.int32]]]) -> None:
        self._counters = counters

    def __getitem__(self, name: str) -> NDArray[np.int32]:
        return self._counters[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._counters)

    def __len__(self) -> int:
        return len(self._counters)


class _Arrays:
    """The arrays of one side."""

    def __init__(self, folder: Path, name: str, about: Mapping[str, Any]) -> None:
        self.values = _map(folder / f"{name}.values", about["dtype"])
        self._offsets = _map(folder / f"{name}.offsets", "int64")
        self._place, n_dims = folder / f"{name}.offsets", int(about["dimensions"])
        self._shapes = _map(folder / f"{name}.shapes", "int32") if n_dims > 1 else None
        self._n_dims = n_dims

    @property
    def shapes(self) -> NDArray[np.int32]:
        """The shape of each, `[n, dimensions]`."""
        if self._shapes is not None:
            return self._shapes.reshape(-1, self._n_dims)
        return _differences(self._place, len(self._offsets) - 1)[:, None]

    def laid(self) -> LaidSide:
        shapes = self.shapes
        width = shapes.shape[1:] == (2,) and len(shapes)
        values = self.values.reshape(-1, int(shapes[0, 1])) if width else self.values
        return LaidSide(values, shapes[:, 0])

    def array(self, i: int) -> Array:
        values = self.values[int(self._offsets[i]) : int(self._offsets[i + 1])]
        return values if self._shapes is None else values.reshape(self.shapes[i])


def default_folder() -> Path:
    """Return where stores are kept: `$SACCADE_HOME/store`, or `~/.cache/saccade/store`."""
    home = os.environ.get("SACCADE_HOME")
    return (Path(home) if home else Path.home() / ".cache" / "saccade") / "store"


def build(reader: Reader, codecs: Codecs, folder: Path) -> Store:
    """Open the store of what `reader` reads, and write it first if it is not there or not whole."""
    slow = [name for name, codec in codecs.sources.items() if codec.chunk < Codec.chunk]
    apart = {name: _built(reader, codecs, [name], folder) for name in slow}
    others = [name for name in codecs.sides if name not in slow]
    return Store(_built(reader, codecs, others, folder), codecs, apart)


def _built(reader: Reader, codecs: Codecs, sides: Sequence[str], folder: Path) -> Path:
    """Return the folder that holds these sides, whole.

    It is written aside and renamed, so that a power cut leaves a whole store or none. Who builds
    the same one at the same time waits for the first. A build that was stopped goes on where it
    was; one that met broken data leaves nothing.
    """
    place = folder / _key(reader, codecs, sides)
    if _is_whole(place):
        return place
    _make_folder(folder)
    with claimed(folder / f".{place.name}") as own:
        # without locks, a folder of one's own, in which nobody can go on
        aside = own or Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=folder))
        try:
            _sweep(folder, aside)
            if not _is_whole(place):
                _write(reader, codecs, sides, aside)
                _install(aside, place)
        except SaccadeError:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    release(place)
    return place


def _key(reader: Reader, codecs: Codecs, sides: Sequence[str]) -> str:
    known = [(name, codecs.sides[name].fingerprint) for name in sides]
    content = [FORMAT, reader.fingerprint(), known]
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _write(reader: Reader, codecs: Codecs, sides: Sequence[str], folder: Path) -> None:
    """Encode what is not encoded yet, a chunk at a time; memory holds no more than one."""
    size = min(codecs.sides[name].chunk for name in sides)
    slow = size < Codec.chunk
    waiting = EncodingProgress(reader.count if slow else None)
    builder = Builder(folder, codecs, sides)
    try:
        waiting.report(builder.n_examples)
        examples = islice(reader.read(), builder.n_examples, None)
        while chunk := list(islice(examples, size)):
            builder.add(chunk)
            waiting.report(builder.n_examples)
        builder.finish()
    finally:
        waiting.close()
        builder.close()


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
    meta: dict[str, Any] = json.loads((folder / META).read_text(encoding="utf-8"))
    return meta


def _map(path: Path, kind: str) -> NDArray[Any]:
    if path.stat().st_size == 0:  # an empty file cannot be mapped
        return np.zeros(0, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r").view(np.ndarray)


def _differences(path: Path, n: int) -> NDArray[np.int32]:
    """Return how far each of `n` offsets is from the next; the file is read, and not mapped."""
    found = np.empty(n, dtype=np.int32)
    with path.open("rb") as file:
        for begin in range(0, n, _BLOCK):
            file.seek(8 * begin)
            found[begin : begin + _BLOCK] = np.diff(np.fromfile(file, np.int64, _BLOCK + 1))
    return found


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{folder}: the store's folder cannot be made ({error.strerror}); expected a place to"
            " write. Set SACCADE_HOME to one."
        ) from None


def _sweep(folder: Path, own: Path) -> None:
    """Remove what builders that were killed left behind, a week later."""
    for left in folder.glob(".*"):
        try:
            old = time.time() - left.stat().st_mtime > _WEEK
            if old and left != own and is_abandoned(left):
                shutil.rmtree(left, ignore_errors=True)
        except FileNotFoundError:  # another builder swept it
            continue
