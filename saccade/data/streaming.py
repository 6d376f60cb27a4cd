"""Pairs that are encoded while the model learns: batches of a corpus that is never stored.

    shards in the order of (seed, epoch) ─▶ chunks of buffer / 2 examples, encoded
    chunk k ─▶ two halves by a draw of (seed, epoch, k): one goes now, one waits for the next chunk
    pool k = what goes now of chunk k + what waited of chunk k - 1 ─▶ batches, as those of a store

So pairs mix with those of the chunk before and of the chunk behind, and a pool is a function of two
chunks. A run that goes on reads the two again from where the first of them begins: a file and a
row. The batches of pool k are numbered on from those of the pools before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from saccade.data.ahead import ReadAhead
from saccade.data.batching import Batches, BatchPlan, cut_up, laid_out
from saccade.data.codecs import TARGET, Codecs
from saccade.data.packed import PackedPairs, joined, packed
from saccade.data.plan import PairBatches, Rows
from saccade.data.store import StoredPair
from saccade.errors import DataError, RecipeError
from saccade.flow import Batch
from saccade.modalities.base import Array
from saccade.nouns import Example
from saccade.readers.streamed import Streamed

_ORDER, _SPLIT, _MIX = 1, 2, 3  # what chance is drawn for
_SHIFT: Final = 32  # a pair's number is its pool's, and behind these bits its own there
_KEPT: Final = 3  # pools that can be read: that of the last batch, and those behind


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Some pairs of some chunks, in any order.

    chunk, row: where each pair is, [n].  source, target: places of its longest source and of its
    target, [n].
    """

    chunks: Sequence[PackedPairs]
    chunk: NDArray[np.int8]
    row: NDArray[np.int32]
    source: NDArray[np.int32]
    target: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.row)

    def pair(self, i: int) -> StoredPair:
        return self.chunks[int(self.chunk[i])].pair(int(self.row[i]))

    def origin(self, i: int) -> str:
        return self.chunks[int(self.chunk[i])].origin(int(self.row[i]))

    def rows(self, index: NDArray[np.int64]) -> "_Pairs":
        chunk, row = self.chunk[index], self.row[index]
        return _Pairs(self.chunks, chunk, row, self.source[index], self.target[index])


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Examples that stand one behind the other, and where: a shard of the epoch, a row of it."""

    begin: tuple[int, int]
    pairs: _Pairs
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Pool:
    """Pairs that are mixed.

    number: of the pool in its epoch.  first: the number of its first batch.  begin: where the older
    of its two chunks begins.
    """

    number: int
    first: int
    begin: tuple[int, int]
    pairs: _Pairs
    plan: BatchPlan

    @property
    def end(self) -> int:
        return self.first + len(self.plan)


@final
class StreamedBatches(PairBatches):
    """The batches of a corpus that is read anew in every epoch.

    Args:
        stream: the corpus.
        codecs: of all sides.
        sample: batches of some pairs of it, which are stored.
        batch_tokens: as in `Batches`, and all that follow.
    """

    def __init__(
        self,
        stream: Streamed,
        codecs: Codecs,
        sample: Batches,
        *,
        batch_tokens: int,
        limits: Mapping[str, int],
        seed: int,
        mixed: bool = False,
    ) -> None:
        self.stream, self._codecs, self._sample = stream, codecs, sample
        self._limits, self._seed = limits, seed
        self._batch_tokens, self._mixed = batch_tokens, mixed
        self._pools: dict[tuple[int, int], _Pool] = {}
        self._n_pairs = max(stream.head().estimate(), 1)

    @property
    def share(self) -> float:
        """How many times as large as its sample the corpus is, about."""
        return self._n_pairs / max(self._sample.n_pairs, 1)

    @cached_property
    def expected(self) -> int:
        """About how many batches an epoch has."""
        return max(round(self._sample.epoch(0).expected * self.share), 1)

    def describe(self) -> str:
        """Say how large the corpus is, about, and how it is mixed."""
        n = len(self.stream.shards)
        return (
            f"about {self._n_pairs:,} pairs streamed from {n:,} file{'s' if n > 1 else ''},"
            f" {self.stream.buffer:,} mixed at a time; of them a sample: {self._sample.describe()}"
        )

    def epoch(self, e: int, place: Sequence[int] = ()) -> "StreamPlan":
        """Plan epoch `e`; nothing is read before a batch is asked for."""
        return StreamPlan(self, e, place)

    def batch(self, indices: Sequence[int] | Rows, epoch: int | None = None) -> Batch:
        """Pad the pairs `indices`, which are of one of the last pools of an epoch."""
        if epoch is None:
            return self._sample.batch(indices)
        pool = self._pools[epoch, int(indices[0]) >> _SHIFT]
        pairs = [pool.pairs.pair(int(i) & ((1 << _SHIFT) - 1)) for i in indices]
        return laid_out(self._codecs, pairs, indices, f"{self._seed} {epoch}")

    def spread(self, n: int) -> list[int]:
        """Return the numbers of up to `n` pairs of the sample, from the shortest to the longest."""
        return self._sample.spread(n)

    def powers(self) -> list[float]:
        """Sum the powers over the sample, and take them times what the corpus is larger."""
        return [self.share * one for one in self._sample.powers()]

    def references(self, index: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Refuse: the references of an example may be in two pools."""
        raise RecipeError(_unstored("training.objective: this one compares with all references"))

    def all_references(self) -> Iterator[list[Array]]:
        """Refuse: nobody has them all."""
        raise RecipeError(_unstored("training.objective: this one studies all targets first"))

    def origin(self, i: int) -> str:
        """Name the file and line of pair `i` of one of the last pools."""
        pools = [pool for pool in self._pools.values() if pool.number == i >> _SHIFT]
        return pools[-1].pairs.origin(i & ((1 << _SHIFT) - 1))

    def keep(self, epoch: int, pool: _Pool) -> None:
        """Let the batches of a pool be read, and forget an old one."""
        self._pools.pop((epoch, pool.number), None)
        self._pools[epoch, pool.number] = pool
        while len(self._pools) > _KEPT:
            del self._pools[next(iter(self._pools))]

    def pools(self, epoch: int, place: Sequence[int]) -> Iterator[_Pool]:
        """Yield the pools of an epoch that have batches, from a place on."""
        number, first, shard, row = place or (0, 0, 0, 0)
        begin, waiting = (shard, row), _beside([])
        for k, chunk in enumerate(self._chunks(epoch, begin), start=max(number - 1, 0)):
            now, later = self._split(chunk, epoch, k)
            if k >= number:
                pairs = _beside([waiting, now])
                plan = self._plan(pairs, epoch, k)
                yield _Pool(k, first, begin, pairs, plan)
                first += len(plan)
            waiting, begin = later, chunk.begin

    def _split(self, chunk: _Chunk, epoch: int, k: int) -> tuple[_Pairs, _Pairs]:
        """Return what goes now, in an order of chance, and what waits; nothing waits at the end."""
        order = self._chance(epoch, _SPLIT, k).permutation(len(chunk.pairs))
        half = len(order) if chunk.is_last else len(order) // 2
        return chunk.pairs.rows(order[:half]), chunk.pairs.rows(order[half:])

    def _plan(self, pairs: _Pairs, epoch: int, k: int) -> BatchPlan:
        none = np.zeros(0, dtype=np.int64)
        if not len(pairs):
            return BatchPlan(none.astype(np.int32), np.zeros(1, dtype=np.int64), none)
        chance = self._chance(epoch, _MIX, k)
        flat = chance.permutation(len(pairs)).astype(np.int32)
        tokens, mixed = self._batch_tokens, self._mixed
        return cut_up(flat, pairs.source, pairs.target, chance, batch_tokens=tokens, mixed=mixed)

    def _chunks(self, epoch: int, begin: tuple[int, int]) -> Iterator[_Chunk]:
        """Read from a shard and row on; the last chunk has fewer examples, or none."""
        half = self.stream.buffer // 2
        shards = self.stream.shards
        order = self._chance(epoch, _ORDER, 0).permutation(len(shards))
        size = min(codec.chunk for codec in self._codecs.sides.values())
        done, held, examples, n = begin, list[_Pairs](), list[Example](), 0
        for at in range(begin[0], len(order)):
            skipped = begin[1] if at == begin[0] else 0
            rows = islice(shards[order[at]].read(), skipped, None)
            for row, example in enumerate(rows, start=skipped + 1):
                examples.append(example)
                n += 1
                if len(examples) == size or n == half:
                    held.append(self._encoded(examples))
                    examples = []
                if n == half:
                    yield _Chunk(done, _in_one(held), is_last=False)
                    done, held, n = (at, row), [], 0
        yield _Chunk(done, _in_one([*held, self._encoded(examples)]), is_last=True)

    def _encoded(self, examples: Sequence[Example]) -> _Pairs:
        """Encode examples, and leave out pairs that are too long."""
        found = self._codecs.encode(examples) if examples else {s: [] for s in self._codecs.sides}
        counts = [len(example.references) for example in examples]
        owners = np.repeat(np.arange(len(examples), dtype=np.int32), counts)
        places = {
            name: _places(self._codecs, name, arrays)[... if name == TARGET else owners]
            for name, arrays in found.items()
        }
        over = [places[name] > self._limits[name] for name in places]
        kept = np.flatnonzero(~np.any(over, axis=0)).astype(np.int32)
        longest = [places[name] + codec.extra for name, codec in self._codecs.sources.items()]
        source = np.max(longest, axis=0) if longest else np.zeros(len(owners), dtype=np.int32)
        target = places[TARGET] + self._codecs.target.extra
        sides = {name: packed(arrays) for name, arrays in found.items()}
        chunk = PackedPairs(sides, owners, [example.origin for example in examples])
        none = np.zeros(len(kept), dtype=np.int8)
        return _Pairs([chunk], none, kept, source[kept], target[kept])

    def _chance(self, epoch: int, what: int, k: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._seed, epoch, what, k]))


@final
class StreamPlan:
    """The batches of one epoch of a stream; they are asked for from the first to the last."""

    def __init__(self, batches: StreamedBatches, epoch: int, place: Sequence[int]) -> None:
        self._batches, self._epoch, self._start = batches, epoch, list(place)
        self._pools: Iterator[_Pool] | None = None
        self._pool: _Pool | None = None

    @property
    def expected(self) -> int:
        """About how many batches there are."""
        return self._batches.expected

    @property
    def place(self) -> list[int]:
        """The pool of the last batch that was asked for: its number, its first batch, its begin."""
        if self._pool is None:
            return self._start
        return [self._pool.number, self._pool.first, *self._pool.begin]

    def __getitem__(self, i: int) -> NDArray[np.int64]:
        """Return the numbers of the pairs of batch `i`, which is not before the last one."""
        pool = self._reached(i)
        if pool is None:
            raise DataError(
                f"{self._batches.describe()}: no pair is left to learn from; expected some within"
                " data.source.max_length and data.target.max_length. Raise them, or check the"
                " readers of data.train."
            )
        assert i >= pool.first, "a stream does not go back"
        return pool.plan[i - pool.first].astype(np.int64) + (pool.number << _SHIFT)

    def ends(self, i: int) -> bool:
        """Tell whether there is no batch `i` any more; if there is, its pool is read."""
        return self._reached(i) is None

    def _reached(self, i: int) -> _Pool | None:
        if self._pools is None:
            self._pools = ReadAhead(self._batches.pools(self._epoch, self._start))
        while self._pool is None or i >= self._pool.end:
            found = next(self._pools, None)
            if found is None:
                return None
            self._pool = found
            self._batches.keep(self._epoch, found)
        return self._pool


def _places(codecs: Codecs, name: str, arrays: Sequence[Array]) -> NDArray[np.int32]:
    if not arrays:
        return np.zeros(0, dtype=np.int32)
    shapes = np.array([array.shape for array in arrays], dtype=np.int32)
    return codecs.sides[name].lengths(shapes)


def _in_one(parts: Sequence[_Pairs]) -> _Pairs:
    """Put pairs that were encoded one part after the other into one chunk."""
    first = np.cumsum([0, *(len(part.chunks[0].owners) for part in parts)])
    rows = [part.row + n for part, n in zip(parts, first[:-1], strict=True)]
    row = np.concatenate(rows, dtype=np.int32)
    return _Pairs(
        [joined([part.chunks[0] for part in parts])],
        np.zeros(len(row), dtype=np.int8),
        row,
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.target for part in parts]),
    )


def _beside(parts: Sequence[_Pairs]) -> _Pairs:
    """Put pairs of several chunks beside each other."""
    first = np.cumsum([0, *(len(part.chunks) for part in parts)])
    none = np.zeros(0, dtype=np.int32)
    return _Pairs(
        [chunk for part in parts for chunk in part.chunks],
        np.concatenate(
            [none, *(p.chunk + n for p, n in zip(parts, first[:-1], strict=True))], dtype=np.int8
        ),
        np.concatenate([none, *(part.row for part in parts)]),
        np.concatenate([none, *(part.source for part in parts)]),
        np.concatenate([none, *(part.target for part in parts)]),
    )


def _unstored(what: str) -> str:
    return (
        f"{what}, but data.train is streamed and never there as a whole; expected pairs that are"
        " stored. Use the corpus of reader streamed itself."
    )
