"""Phrase pairs out of word-aligned sentences, all of a corpus at once: no loop goes over words.

Places are counted over the whole corpus, so that a span of a sentence is its first place and its
length, whatever sentence it stands in.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.models.base import LaidSide
from saccade.tokenizers._vocabulary import SYMBOLS

Array = NDArray[Any]
_FAR = np.int64(1) << 40  # beyond every place


class PhrasePairs(NamedTuple):
    """Spans that translate each other, one row an occurrence: first places and numbers of words.

    monotone, swapped: whether the words before it in the target are linked to those before, or to
    those behind, it in the source.
    """

    source: Array
    source_length: Array
    target: Array
    target_length: Array
    monotone: Array
    swapped: Array


class LinkedPairs(NamedTuple):
    """Sentence pairs with links between their words, as places of the corpus.

    left, right: `[n]`, source and target place of each link, in order.
    """

    source: LaidSide
    target: LaidSide
    left: Array
    right: Array


def aligned(source: LaidSide, target: LaidSide, links: Array) -> LinkedPairs:
    """Count the places of links, rows (pair, source place, target place), over the corpus."""
    pairs = links[:, 0].astype(np.int64)
    left = starts(source.lengths)[pairs] + links[:, 1]
    right = starts(target.lengths)[pairs] + links[:, 2]
    order = np.lexsort((right, left))
    return LinkedPairs(source, target, left[order], right[order])


def starts(lengths: Array) -> Array:
    """Return where each sequence begins."""
    lengths = np.asarray(lengths, np.int64)
    return np.cumsum(lengths) - lengths


def extract(given: LinkedPairs, longest: int) -> PhrasePairs:
    """Find all phrase pairs of at most `longest` words on either side.

        (f, e) is one if a link stands in it and no link leads from inside to outside

    Och, Tillmann & Ney 1999; Koehn, Och & Marcu 2003, section 4.1. For every source span the least
    and the last linked place of the target are known; what lies between must lead back. Words
    without links at the edges of the target may come along. Spans with unknown words are left out.
    """
    n, m = len(given.source.values), len(given.target.values)
    low, high = _reach(given.left, given.right, n, longest)
    back_low, back_high = _reach(given.right, given.left, m, longest)
    ends = _ends(given.source.lengths)
    before, behind = _free(given)
    found = list[tuple[Array, Array, Array, Array]]()
    for length in range(1, longest + 1):
        first, last = low[length - 1], high[length - 1]
        i = np.flatnonzero((np.arange(n) + length <= ends) & (last >= 0) & (last - first < longest))
        lo, hi = first[i], last[i]
        leads_back = (back_low[hi - lo, lo] >= i) & (back_high[hi - lo, lo] < i + length)
        i, lo, hi = i[leads_back], lo[leads_back], hi[leads_back]
        for a in range(longest):
            for b in range(longest - a):
                at = (before[lo] >= a) & (behind[hi] >= b) & (hi - lo + 1 + a + b <= longest)
                if at.any():
                    size = np.full(int(at.sum()), length)
                    found.append((i[at], size, lo[at] - a, (hi - lo + 1 + a + b)[at]))
    spans = [np.concatenate(one) for one in zip(*found, strict=True)] if found else [_NONE] * 4
    known = _known(given.source, spans[0], spans[1]) & _known(given.target, spans[2], spans[3])
    return _oriented(given, *(one[known] for one in spans))


_NONE = np.zeros(0, np.int64)


def _reach(left: Array, right: Array, n: int, longest: int) -> tuple[Array, Array]:
    """Return the first and last place that spans are linked to: `[longest, n]`, by their length."""
    low, high = np.full(n, _FAR), np.full(n, -1)
    np.minimum.at(low, left, right)
    np.maximum.at(high, left, right)
    return _ranges(low, longest, np.minimum), _ranges(high, longest, np.maximum)


def _ranges(values: Array, longest: int, choose: np.ufunc) -> Array:
    """Return the least or greatest of 1, 2, ... values from each place on: `[longest, n]`."""
    rows = [values]
    for length in range(2, longest + 1):
        row = rows[-1].copy()
        k = max(len(values) - length + 1, 0)
        row[:k] = choose(row[:k], values[length - 1 :][:k])
        rows.append(row)
    return np.stack(rows)


def _ends(lengths: Array) -> Array:
    """Return for every place where its sequence ends."""
    lengths = np.asarray(lengths, np.int64)
    return np.repeat(np.cumsum(lengths), lengths)


def _free(given: LinkedPairs) -> tuple[Array, Array]:
    """Return how many target words without links stand just before, and just behind, each place."""
    lengths = np.asarray(given.target.lengths, np.int64)
    m = int(lengths.sum())
    linked = np.zeros(m, bool)
    linked[given.right] = True
    place = np.arange(m)
    begins = np.repeat(starts(lengths), lengths)
    last = np.maximum.accumulate(np.where(linked, place, -1)) if m else _NONE
    last = np.concatenate([[-1], last[:-1]]) if m else _NONE  # before it
    upcoming = np.where(linked, place, m)[::-1]
    upcoming = np.minimum.accumulate(upcoming)[::-1] if m else _NONE
    upcoming = np.concatenate([upcoming[1:], [m]]) if m else _NONE
    before = place - np.maximum(last + 1, begins)
    return before, np.minimum(upcoming, _ends(lengths)) - place - 1


def _known(side: LaidSide, first: Array, length: Array) -> Array:
    """Tell which spans have only words of the vocabulary."""
    strange = np.concatenate([[0], np.cumsum(side.values < len(SYMBOLS))])
    known: Array = strange[first + length] == strange[first]
    return known


def _oriented(given: LinkedPairs, i: Array, size: Array, j: Array, length: Array) -> PhrasePairs:
    """Say how each pair follows the target word before it (Koehn et al. 2005, section 3)."""
    m = len(given.target.values) + 2
    keys = (given.left + 1) * m + given.right + 1
    begins = np.repeat(starts(given.source.lengths), given.source.lengths)
    first = np.repeat(starts(given.target.lengths), given.target.lengths)
    ends = _ends(given.source.lengths)
    opening = j == first[j] if len(j) else np.zeros(0, bool)

    def linked(source: Array) -> Array:
        return np.isin((source + 1) * m + j, keys, assume_unique=False)

    if not len(i):
        nothing = np.zeros(0, bool)
        return PhrasePairs(i, size, j, length, nothing, nothing)
    alone = i == begins[i]
    monotone = np.where(opening, alone, ~alone & linked(i - 1))
    inside = i + size < ends[i]
    swapped = ~monotone & ~opening & inside & linked(i + size)
    return PhrasePairs(i, size, j, length, monotone, swapped)
