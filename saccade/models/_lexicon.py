"""Which words of two languages occur together: the only pairs that a word alignment counts.

Row s of the table has the target words that stand in a pair with the source word s, ascending; the
last row is that of the empty word, which stands in every pair. An entry is a number, and what a
model knows of two words is an array over the entries.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.kernels.aligner import Occurrences, PairLengths, cells_of, count_beside, words_beside
from saccade.models.base import LaidSide

Array = NDArray[Any]
MOST_ENTRIES = 150_000_000  # 4 bytes of the word, 4 of its probability and 8 of its count each
LONGEST = 1_000  # words of a sentence
_SORTED = 10_000_000  # pairs of words that are sorted at once without kernels


class WordPairs(NamedTuple):
    """rows: int64 `[n_source + 2]`, where the row of each source word begins.  symbols: int32."""

    rows: Array
    symbols: Array

    @property
    def n_source(self) -> int:
        """Source words, without the empty one."""
        return len(self.rows) - 2

    def sums(self, numbers: Array) -> Array:
        """Add the numbers of each row, `[n_source + 1]`.

        >>> WordPairs(np.array([0, 2, 2, 3]), np.array([4, 5, 5])).sums(np.array([1.0, 2.0, 4.0]))
        array([3., 0., 4.])
        """
        found = np.zeros(len(self.rows) - 1)
        full = np.flatnonzero(np.diff(self.rows))
        found[full] = np.add.reduceat(numbers.astype(np.float64), self.rows[full])
        return found

    def spread(self, numbers: Array) -> Array:
        """Repeat a number of each row for all its entries."""
        return np.repeat(numbers, np.diff(self.rows))

    def cells(self, source: LaidSide, target: LaidSide) -> Array:
        """Return the entry of every pair of words: of each pair `[T, S + 1]`, the empty one first.

        -1 - row stands for words that do not occur together.
        """
        shapes = shapes_of(source, target)
        found = cells_of(source.values, target.values, shapes, *self)
        return self._plain_cells(source, target, shapes) if found is None else found

    def _plain_cells(self, source: LaidSide, target: LaidSide, shapes: PairLengths) -> Array:
        size = max(int(self.symbols.max(initial=0)), int(target.values.max(initial=0))) + 1
        keys = self.spread(np.arange(len(self.rows) - 1)) * size + self.symbols
        wanted = key_of(source, target, shapes, self.n_source, size)
        if not len(keys):
            return (-1 - wanted // size).astype(np.int32)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, places, -1 - wanted // size).astype(np.int32)


def shapes_of(source: LaidSide, target: LaidSide) -> PairLengths:
    """Return the lengths of pairs; refuse sides that do not fit and sentences too long."""
    shapes = PairLengths(source.lengths.astype(np.int64), target.lengths.astype(np.int64))
    if len(shapes.sources) != len(shapes.targets):
        raise DataError(
            f"aligner: there are {len(shapes.sources):,} sources and {len(shapes.targets):,}"
            " targets; expected as many."
        )
    for name, lengths in shapes._asdict().items():
        if (longest := int(lengths.max(initial=0))) > LONGEST:
            raise DataError(
                f"aligner: one of the {name} has {longest:,} words; expected at most {LONGEST:,}."
                " Leave it out, or set data.max_length."
            )
    return shapes


def key_of(source: LaidSide, target: LaidSide, shapes: PairLengths, null: int, size: int) -> Array:
    """Return `source word * size + target word` for every cell, the empty word being `null`."""
    high, wide = shapes.targets, shapes.sources + 1
    words = np.insert(
        source.values.astype(np.int64), np.cumsum(shapes.sources) - shapes.sources, null
    )
    each = np.repeat(wide, high)  # of every target word, how many cells
    before = np.repeat(np.cumsum(wide) - wide, high)  # where the words of its source begin
    places = np.arange(int(each.sum())) + np.repeat(before - (np.cumsum(each) - each), each)
    keys: Array = words[places] * size + np.repeat(target.values.astype(np.int64), each)
    return keys


def build(source: LaidSide, target: LaidSide, n_source: int) -> WordPairs:
    """Find all words that occur together.

    They are counted before they are written down, so that memory is bounded.
    """
    shapes = shapes_of(source, target)
    found = _occurrences(source, target, n_source)
    rows = count_beside(found)
    seen = np.unique(target.values).astype(np.int32)  # beside the empty word
    if rows is None:
        return _plain(source, target, shapes, n_source)
    _check(int(rows[-1]) + len(seen))
    symbols = np.concatenate([words_beside(found, rows), seen])
    return WordPairs(np.append(rows, len(symbols)), symbols)


def _occurrences(source: LaidSide, target: LaidSide, n_source: int) -> Occurrences:
    pairs = np.repeat(np.arange(len(source.lengths), dtype=np.int32), source.lengths)
    order = np.argsort(source.values, kind="stable")
    begins = np.zeros(n_source + 1, np.int64)
    np.cumsum(np.bincount(source.values, minlength=n_source), out=begins[1:])
    target_begins = np.zeros(len(target.lengths) + 1, np.int64)
    np.cumsum(target.lengths, out=target_begins[1:])
    words = np.ascontiguousarray(target.values, np.int32)
    return Occurrences(begins, pairs[order], target_begins, words)


def _check(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise DataError(
            f"aligner: {entries:,} pairs of words occur together, more than {MOST_ENTRIES:,};"
            " expected fewer, to bound memory. Take a smaller vocabulary, shorter sentences or less"
            " text."
        )


def _plain(source: LaidSide, target: LaidSide, shapes: PairLengths, n_source: int) -> WordPairs:
    """Do as `build` by sorting, some pairs at a time."""
    size = int(target.values.max(initial=0)) + 1
    cells = np.cumsum(shapes.targets * (shapes.sources + 1))
    keys = np.zeros(0, np.int64)
    for first, end in runs(cells, _SORTED):
        some = np.arange(first, end)
        ours, theirs = source.rows(some), target.rows(some)
        keys = np.union1d(keys, key_of(ours, theirs, shapes_of(ours, theirs), n_source, size))
        _check(len(keys))
    rows = np.searchsorted(keys, np.arange(n_source + 2) * size)
    return WordPairs(rows.astype(np.int64), (keys % size).astype(np.int32))


def runs(sums: Array, most: int) -> list[tuple[int, int]]:
    """Part things, whose sizes add up to `sums`, into runs of about `most`.

    >>> runs(np.cumsum([3, 3, 3, 9, 1]), 6)
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    found, first = [], 0
    while first < len(sums):
        before = int(sums[first - 1]) if first else 0
        end = max(int(np.searchsorted(sums, before + most, side="right")), first + 1)
        found.append((first, end))
        first = end
    return found
