"""The first rows of many files, and what can be told of files without reading all of them."""

import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from saccade.nouns import Example, Raw
from saccade.readers import _lines
from saccade.readers._remote import size_of
from saccade.readers.base import Reader

_ENDS = 1 << 16  # bytes of either end of a file that tell it from others
_HEAD = 1 << 20  # bytes in which lines are counted
_FILES = 64  # of which a sample is read
_COUNTED = 8  # of which lines are counted


class FirstRows(Reader):
    """About `n` pairs: the first of each shard, as many of each; of many shards some, evenly."""

    def __init__(self, root: Path, shards: Sequence[Reader], n: int) -> None:
        chosen = shards[:: -(-len(shards) // _FILES)]
        super().__init__(root, *chain.from_iterable(shard.paths for shard in chosen))
        self._all, self._chosen, self._n = shards, chosen, n

    def read(self) -> Iterator[Example]:
        """Yield the pairs of the sample."""
        each = -(-self._n // len(self._chosen))
        for shard in self._chosen:
            yield from islice(shard.read(), each)

    def fingerprint(self) -> str:
        """Hash the pairs of the sample."""
        total = hashlib.blake2b(digest_size=16)
        for example in self.read():
            said = [*example.sources, *map(_told, (*example.sources.values(), *example.references))]
            total.update("\0".join(said).encode("utf-8", "surrogatepass") + b"\n")
        return total.hexdigest()

    def estimate(self) -> int:
        """Return about how many pairs all shards have, by their bytes and those of some lines."""
        if not all(shard.paths for shard in self._all):
            return self.count()
        looked = self._all[:: -(-len(self._all) // _COUNTED)]
        lines, read = map(sum, zip(*(_density(shard) for shard in looked), strict=True))
        if not lines:
            return self.count()
        sizes = [size_of(shard.paths[0]) for shard in self._all]
        return round(sum(sizes) * lines / read) if all(sizes) else self.count()


def outline(paths: Sequence[Path]) -> str:
    """Hash names, sizes and both ends of files."""
    total = hashlib.blake2b(digest_size=16)
    for path in paths:
        with _lines.open_bytes(path, unpack=False) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            start = file.read(_ENDS)
            file.seek(max(size - _ENDS, 0))
            total.update(f"{path.name} {size}\n".encode() + start + file.read(_ENDS))
    return total.hexdigest()


def _told(raw: Raw) -> str:
    digest = getattr(raw, "digest", None)
    if digest is not None:
        return str(digest)
    return raw.tobytes().hex() if hasattr(raw, "tobytes") else str(raw)


def _density(shard: Reader) -> tuple[int, int]:
    """Return so many rows and the bytes that they take in the shard's file; noughts if unknown."""
    path = shard.paths[0]
    if path.suffix == ".parquet":
        return shard.count(), size_of(path)
    with _lines.open_bytes(path, unpack=False) as file:
        start = file.read(_HEAD)
    if path.suffix != ".gz":
        return start.count(b"\n"), len(start)
    try:
        return zlib.decompressobj(31).decompress(start).count(b"\n"), len(start)
    except zlib.error:
        return 0, len(start)
