"""Stored pairs to batches, by a plan of every epoch that depends on the seed alone."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final, overload

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.data.codecs import TARGET, Codecs
from saccade.data.plan import PairBatches
from saccade.data.store import Store, StoredPair
from saccade.errors import DataError
from saccade.flow import Batch, Padded, Sources
from saccade.modalities.base import Array
from saccade.models.base import LaidSide

_WINDOW = 100  # batches' worth of examples that are sorted by length together
_LOOKED_AT = 500  # pairs of which some of all lengths are taken
_BLOCK = 1 << 20  # pairs that are counted at once
Places = NDArray[np.integer[Any]]  # of each pair, in as few bytes as hold the largest


def collate(
    codecs: Codecs,
    sources: Mapping[str, Sequence[Array]],
    targets: Sequence[Array],
    index: Sequence[int] = (),
) -> Batch:
    """Make a batch of arrays; `index` says which pairs they are."""
    values, mask, prefix = codecs.target.frame(targets, next(iter(sources.values())))
    target, numbers = _padded(values, mask), tuple(int(i) for i in index)
    return Batch(pad(codecs, sources), target, torch.from_numpy(prefix), numbers)


def laid_out(
    codecs: Codecs,
    pairs: Sequence[StoredPair],
    index: Sequence[int] | NDArray[np.signedinteger[Any]],
    seed: str = "",
) -> Batch:
    """Make a batch of the pairs `index`; with a seed, other arrays of the same values if any vary.

    What varies is a function of the seed and of the number of a pair.
    """
    if seed and any(codec.varies for codec in codecs.sides.values()):
        heeds = any(codec.heeds for codec in codecs.sides.values())
        pairs = [
            _varied(codecs, pair, f"{seed} {i}", heeds=heeds)
            for i, pair in zip(index, pairs, strict=True)
        ]
    sources = {name: [pair.sources[name] for pair in pairs] for name in codecs.sources}
    return collate(codecs, sources, [pair.target for pair in pairs], [int(i) for i in index])


def _varied(codecs: Codecs, pair: StoredPair, seed: str, *, heeds: bool) -> StoredPair:
    chance = random.Random(seed)
    said = _said(codecs, pair) if heeds else ""
    sources = {name: codecs.sources[name].vary(a, chance, said) for name, a in pair.sources.items()}
    return StoredPair(sources, codecs.target.vary(pair.target, chance, said))


def _said(codecs: Codecs, pair: StoredPair) -> str:
    """Return all text of a pair."""
    arrays, sides = {**pair.sources, TARGET: pair.target}, codecs.sides
    return " ".join(sides[name].decode(a) for name, a in arrays.items() if sides[name].vocabulary)


def pad(codecs: Codecs, sources: Mapping[str, Sequence[Array]]) -> Sources:
    """Lay the sources of a batch out as tensors."""
    return {name: _padded(*codecs.sources[name].pad(rows)) for name, rows in sources.items()}


def _padded(values: Array, mask: NDArray[np.bool_]) -> Padded:
    return Padded(torch.from_numpy(values), torch.from_numpy(mask))


@final
class BatchPlan(Sequence[NDArray[np.int32]]):
    """The batches of one epoch as arrays of example numbers, held in one flat array."""

    def __init__(
        self, flat: NDArray[np.int32], starts: NDArray[np.int64], turn: NDArray[np.int64]
    ) -> None:
        self._flat, self._starts, self._turn = flat, starts, turn

    def __len__(self) -> int:
        return len(self._turn)

    @property
    def expected(self) -> int:
        """How many batches there are."""
        return len(self)

    @property
    def place(self) -> list[int]:
        """Nothing: the number of a batch is enough to find it."""
        return []

    def ends(self, i: int) -> bool:
        """Tell whether there is no batch `i` any more."""
        return i >= len(self)

    @overload
    def __getitem__(self, i: int) -> NDArray[np.int32]: ...
    @overload
    def __getitem__(self, i: slice) -> "BatchPlan": ...
    def __getitem__(self, i: int | slice) -> "NDArray[np.int32] | BatchPlan":
        if isinstance(i, slice):
            return BatchPlan(self._flat, self._starts, self._turn[i])
        turn = self._turn[i]
        return self._flat[self._starts[turn] : self._starts[turn + 1]]


@final
class Batches(PairBatches):
    """All pairs of some stores, cut into batches of about equal cost.

    Pairs with more places on a side than `limits` allows are left out and counted. A corpus of
    weight 2.5 is read twice an epoch, and a random half of it once more. Training batches that are
    `mixed` are cut from the shuffle as it is, without sorting.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        codecs: Codecs,
        *,
        batch_tokens: int,
        limits: Mapping[str, int],
        seed: int,
        weights: Sequence[float] = (),
        mixed: bool = False,
    ) -> None:
        self._stores, self._codecs, self._limits = stores, codecs, limits
        self._seed, self._batch_tokens, self._mixed = seed, batch_tokens, mixed
        self._weights = weights or [1.0] * len(stores)
        self._first = np.cumsum([0, *(len(store) for store in stores)])
        self.n_pairs = int(self._first[-1])
        self._keep = np.ones(self.n_pairs, dtype=np.bool_)
        self.n_over: dict[str, int] = {}
        self._source: Places = np.zeros(self.n_pairs, dtype=np.uint8)
        for name in codecs.sources:
            self._source = np.maximum(self._source, self._places(name))
        self._target = self._places(TARGET)
        self.n_dropped = self.n_pairs - int(self._keep.sum())
        if self.n_dropped == self.n_pairs:
            raise DataError(self._nothing_left())

    def _places(self, side: str) -> Places:
        """Count the places of a side as they are laid out, in few bytes; drop pairs over the limit.

        What is over the limit counts as one more than the limit.
        """
        limit, extra = self._limits[side], self._codecs.sides[side].extra
        found = np.empty(self.n_pairs, dtype=np.min_scalar_type(limit + 1 + extra))
        for store, begin in zip(self._stores, self._first.tolist(), strict=False):
            own = store.lengths[side]
            found[begin : begin + len(own)] = np.minimum(own, limit + 1)
        over = found > limit
        self.n_over[side] = int(over.sum())
        self._keep &= ~over
        found += extra
        return found

    def describe(self) -> str:
        """Say how many pairs there are and how many were left out, and why."""
        if not self.n_dropped:
            return f"{self.n_pairs:,} pairs"
        reasons = ", ".join(
            f"{name} over {self._limits[name]} {codec.unit} {self.n_over[name]:,}"
            for name, codec in self._codecs.sides.items()
        )
        return (
            f"{self.n_pairs - self.n_dropped:,} of {self.n_pairs:,} pairs; {self.n_dropped:,} left"
            f" out: {reasons}"
        )

    def epoch(self, e: int, place: Sequence[int] = ()) -> BatchPlan:
        """BatchPlan epoch `e`: a function of the seed and `e` only, the same on every machine."""
        generator = np.random.Generator(np.random.PCG64([self._seed, e]))
        flat = self._shuffled(generator)
        return cut_up(
            flat,
            self._source,
            self._target,
            generator,
            batch_tokens=self._batch_tokens,
            mixed=self._mixed,
        )

    def batch(self, indices: Sequence[int] | NDArray[np.int32], epoch: int | None = None) -> Batch:
        """Read the pairs `indices` and pad them.

        In training, codecs that vary give other arrays in every `epoch`, as a function of seed,
        epoch and pair. Limits and plans go by the lengths in the store.
        """
        stores = np.searchsorted(self._first, indices, "right") - 1
        local = (np.asarray(indices) - self._first[stores]).tolist()
        pairs = [self._stores[s].pair(i) for s, i in zip(stores.tolist(), local, strict=True)]
        seed = "" if epoch is None else f"{self._seed} {epoch}"
        return laid_out(self._codecs, pairs, indices, seed)

    def spread(self, n: int) -> list[int]:
        """Return the numbers of up to `n` pairs that were kept, from the shortest to the longest.

        Of a large corpus a few hundred pairs are looked at.
        """
        kept = np.flatnonzero(self._keep)
        kept = kept[:: max(len(kept) // _LOOKED_AT, 1)]
        size = self._source[kept].astype(np.int64) + self._target[kept]
        kept = kept[np.argsort(size, kind="stable")]
        places = np.linspace(0, len(kept) - 1, min(n, len(kept))).round().astype(int)
        return [int(i) for i in kept[places]]

    def powers(self) -> list[float]:
        """Sum 1, s, t, s^2, s t and t^2 over all pairs that were kept, of s and t places.

        Of several sources the longest counts.
        """
        found = np.zeros(6, dtype=np.int64)
        for begin in range(0, self.n_pairs, _BLOCK):
            part = slice(begin, begin + _BLOCK)
            keep = self._keep[part]
            s, t = (one[part][keep].astype(np.int64) for one in (self._source, self._target))
            found += [len(t), *(int(one.sum()) for one in (s, t, s * s, s * t, t * t))]
        return [float(one) for one in found]

    def references(self, index: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Return all targets of the example of every pair in `index`, as ids without END."""
        found = (self._stores[store].references(local) for store, local in map(self._locate, index))
        return tuple(tuple(tuple(ids.tolist()) for ids in row) for row in found)

    def all_references(self) -> Iterator[list[Array]]:
        """Go through the examples, in order; yield all targets of each."""
        for store in self._stores:
            yield from map(store.references, store.examples())

    def laid(self, side: str) -> LaidSide:
        """Return one side of every pair that was kept, in order, end to end."""
        parts = [store.laid(side) for store in self._stores]
        both = LaidSide(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        return both.rows(np.flatnonzero(self._keep))

    def origin(self, i: int) -> str:
        """Name the file and line of pair `i`."""
        store, local = self._locate(i)
        return self._stores[store].origin(local)

    def __iter__(self) -> Iterator[Batch]:
        """Go through every pair that was kept, in order of length, for validation."""
        size = np.maximum(self._source, self._target)
        kept = np.flatnonzero(self._keep).astype(np.int32)
        kept = kept[_alike(self._source[kept], self._target[kept])]
        start = 0
        for end in _cuts(size[kept], self._batch_tokens):
            yield self.batch(kept[start:end])
            start = end

    def _locate(self, i: int) -> tuple[int, int]:
        store = int(np.searchsorted(self._first, i, "right")) - 1
        return store, int(i) - int(self._first[store])

    def _shuffled(self, generator: np.random.Generator) -> NDArray[np.int32]:
        parts: list[NDArray[np.int32]] = []
        for s, weight in enumerate(self._weights):
            begin, end = int(self._first[s]), int(self._first[s + 1])
            kept = np.arange(begin, end, dtype=np.int32)[self._keep[begin:end]]
            whole = int(weight)
            parts.extend([kept] * whole)
            if extra := round((weight - whole) * len(kept)):
                parts.append(generator.choice(kept, extra, replace=False))
        flat = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.int32), *parts])
        if not len(flat):
            raise DataError(
                f"data.weights: weights {tuple(self._weights)} leave no pair of {self.n_pairs};"
                " expected at least one an epoch. Raise a weight."
            )
        generator.shuffle(flat)
        return flat

    def _nothing_left(self) -> str:
        n = self.n_pairs
        if n == 0:
            return "no pairs at all; expected some to learn from. Check the readers of data.train."
        limits = " or ".join(
            f"{self._limits[name]} {name} {codec.unit}"
            for name, codec in self._codecs.sides.items()
        )
        return (
            f"all {n} pairs are longer than the limit of {limits}; expected at least one within"
            " it: raise data.source.max_length or data.target.max_length."
        )


def cut_up(
    flat: NDArray[np.int32],
    source: Places,
    target: Places,
    generator: np.random.Generator,
    *,
    batch_tokens: int,
    mixed: bool,
) -> BatchPlan:
    """Cut a shuffle of pairs into batches of about equal cost.

    Window by window, put like lengths side by side and cut so that the longest row of either side,
    END included, x rows <= batch_tokens; then shuffle the batches.

    Args:
        flat: the pairs, in an order of chance; it becomes the order of the plan.
        source: places of the sources of all pairs, by their number.
        target: and of their targets.
        generator: draws the order of the batches.
        batch_tokens: of the recipe.
        mixed: leave the shuffle as it is.
    """
    size = np.maximum(source, target)
    window = max(int(_WINDOW * batch_tokens / size[flat].mean()), 1)
    starts = [0]
    for begin in range(0, len(flat), window):
        part = flat[begin : begin + window]
        if not mixed:
            part[:] = part[_alike(source[part], target[part])]
        starts.extend(begin + end for end in _cuts(size[part], batch_tokens))
    turn = generator.permutation(len(starts) - 1)
    return BatchPlan(flat, np.array(starts, dtype=np.int64), turn)


def _alike(source: Places, target: Places) -> NDArray[np.int64]:
    """Order pairs so that neighbours are alike on both sides; equal ones keep their order.

    By the longer side, and there by the difference of the sides, upwards and downwards in turn: a
    batch that goes over an edge finds like pairs behind it. On Multi30k in batches of 4,096 pieces
    5 % of the source and 4 % of the target places are padding; sorted by target, then source, it is
    16 % and 1 %, in a tenth more batches.

    A side that is less than a twentieth of the other counts as nothing, and pairs whose longer side
    is the same for all stay as they are. Pictures would be sorted by the length of their captions
    otherwise, which saves little and makes every batch one-sided: two runs of 800 updates on
    `shapes` wrote 75 and 94 % of the captions right, and 99 % unsorted.
    """
    source, target = source.astype(np.int32), target.astype(np.int32)  # 20 x fits
    longer = np.maximum(source, target)
    if len(longer) and longer.min() == longer.max():
        return np.arange(len(longer))
    counted = [np.where(20 * side < longer, 0, side) for side in (source, target)]
    difference = counted[0] - counted[1]
    return np.lexsort((difference * (1 - 2 * (longer % 2)), longer))


def _cuts(size: Places, batch_tokens: int) -> Iterator[int]:
    """Yield where each batch ends: as many rows as fit, at least one."""
    start = 0
    while start < len(size):
        ahead = size[start : start + max(batch_tokens // int(size[start]), 1)]
        cost = np.maximum.accumulate(ahead).astype(np.int64) * np.arange(1, len(ahead) + 1)
        start += max(int(np.searchsorted(cost, batch_tokens, "right")), 1)
        yield start
