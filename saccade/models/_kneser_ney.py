"""Modified Kneser-Ney smoothing: from sequences of symbols to a back-off table, by sorting.

No loop goes over symbols: an n-gram that ends at place t is a number, that of its first n - 1
symbols, which ended at t - 1, times V plus the symbol at t. Sorting these numbers counts them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.heads._backoff import NEVER
from saccade.kernels.backoff import BackoffTable
from saccade.tokenizers._vocabulary import END, PAD, START

Array = NDArray[Any]
FALLBACK = (0.5, 1.0, 1.5)  # discounts where there are too few n-grams to estimate them
_MOST_NODES = 2**31 - 2


class Discounts(NamedTuple):
    """What is taken off the counts 1, 2, and 3 or more of n-grams of one length."""

    one: float
    two: float
    more: float
    estimated: bool = True  # False if there was too little to estimate them from


@dataclass(frozen=True, slots=True)
class Level:
    """All n-grams of one length, in the order of parent and symbol.

    keys: `parent * V + symbol`, parents numbered over all levels.  suffixes: numbers of the level
    below, from 0.  raw: how often they occur.  adjusted: how many symbols they occur behind, or how
    often if nothing can stand before them, or if they are of the greatest length.
    """

    keys: Array
    suffixes: Array
    raw: Array
    adjusted: Array


@dataclass(frozen=True, slots=True)
class Smoothed:
    """A table, and how it came about: discounts and numbers of n-grams of each length."""

    table: BackoffTable
    discounts: tuple[Discounts, ...]
    sizes: tuple[int, ...]


def estimate(
    values: Array, lengths: Array, size: int, order: int, prune: Sequence[int] = ()
) -> Smoothed:
    """Estimate an interpolated model of n-grams up to `order` symbols.

        p(w | h) = (a(h w) - D(a(h w))) / sum_v a(h v) + gamma(h) p(w | h')
        gamma(h) = sum_v D(a(h v)) / sum_v a(h v)
        D(a) = 0, D1, D2, D3 for a = 0, 1, 2, 3 and more,  Y = n1 / (n1 + 2 n2),
        D1 = 1 - 2 Y n2 / n1,   D2 = 2 - 3 Y n3 / n2,   D3 = 3 - 4 Y n4 / n3

    a are counts at the greatest length and numbers of different left neighbours below, and n_i is
    how many n-grams of that length have a = i. Chen & Goodman 1998 (TR-10-98), section 3 and
    equation 26; Kneser & Ney 1995. The empty context shares what is left evenly among all symbols
    but PAD and START. Pruned n-grams leave their counts to gamma, as `lmplz` of KenLM does
    (Heafield et al. 2013), with whose figures these agree.

    Args:
        values: the symbols of all sequences, one after the other, without START and END.
        lengths: of the sequences.
        size: symbols of the vocabulary, V.
        order: symbols of the longest n-grams.
        prune: for each length from 1, n-grams that occur at most so often are left out; the last
            number holds for longer ones too.
    """
    levels = _count(values, lengths, size, order)
    discounts = tuple(_discounts(level.adjusted) for level in levels)
    return _smooth(levels, discounts, size, _thresholds(prune, order))


def _thresholds(prune: Sequence[int], order: int) -> list[int]:
    given = list(prune) or [0]
    return (given + given[-1:] * order)[:order]


def _count(values: Array, lengths: Array, size: int, order: int) -> list[Level]:
    """Count the n-grams of every length."""
    n = len(lengths)
    text = np.full(len(values) + 2 * n, START, np.int64)
    ends = np.cumsum(lengths + 2) - 1
    starts = ends - lengths - 1
    inner = np.ones(len(text), bool)
    inner[starts] = inner[ends] = False
    text[inner], text[ends] = values, END
    depth = np.arange(len(text)) - np.repeat(starts, lengths + 2)  # symbols before it, with START
    alone = np.bincount(text[depth > 0], minlength=size)
    found = [Level(np.arange(size), np.zeros(size, np.int64), alone, alone)]
    node, first = text.copy(), 1  # of the n-gram that ends at each place; the number of the first
    for length in range(2, order + 1):
        ends_here = np.flatnonzero(depth >= length - 1)
        keys = (node[ends_here - 1] + first) * size + text[ends_here]
        keys, where, inverse, raw = _unique(keys)
        first += len(found[-1].keys)
        if first + len(keys) > _MOST_NODES:
            raise DataError(
                f"ngram: {first + len(keys):,} n-grams up to {length} symbols are more than"
                f" {_MOST_NODES:,}; expected fewer. Lower model.order, or take less text."
            )
        suffixes = node[ends_here[where]]
        below = found[-1]
        behind = np.bincount(suffixes, minlength=len(below.keys))
        adjusted = np.where(behind > 0, behind, below.raw)
        found[-1] = Level(below.keys, below.suffixes, below.raw, adjusted)
        found.append(Level(keys, suffixes, raw, raw))
        node = np.zeros(len(text), np.int64)
        node[ends_here] = inverse
    return found


def _unique(keys: Array) -> tuple[Array, Array, Array, Array]:
    """Return sorted keys without repeats, a place, the number of each key, and counts."""
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    fresh = np.ones(len(keys), bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    begins = np.flatnonzero(fresh)
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.cumsum(fresh) - 1
    return ranked[begins], order[begins], numbers, np.diff(begins, append=len(keys))


def _discounts(adjusted: Array) -> Discounts:
    """Estimate what to take off, or take fixed amounts where a number of n-grams is 0."""
    n = np.bincount(np.minimum(adjusted, 5), minlength=6).astype(float)
    if (n[1:4] > 0).all():
        y = n[1] / (n[1] + 2 * n[2])
        found = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
        if all(0 <= d <= j for j, d in enumerate(found, start=1)):
            return Discounts(*found)
    return Discounts(*FALLBACK, estimated=False)


def _smooth(
    levels: Sequence[Level], discounts: tuple[Discounts, ...], size: int, least: Sequence[int]
) -> Smoothed:
    """Interpolate the lengths from the shortest up, and lay the table out."""
    n_even = max(size - 2, 1)
    probs, gammas, kept = list[Array](), list[Array](), list[Array]()
    shorter, first, before = np.array([1.0 / n_even]), 0, 1
    for level, (one, two, more, _), threshold in zip(levels, discounts, least, strict=True):
        a, parents = level.adjusted, level.keys // size - first
        keep = level.raw > threshold if len(kept) else np.ones(size, bool)
        off = np.where(keep, np.array([0.0, one, two, more])[np.minimum(a, 3)], a)
        total = np.bincount(parents, a, before)
        left = np.bincount(parents, off, before)
        gamma = np.divide(left, total, out=np.ones(before), where=total > 0)
        p = np.divide(a - off, total[parents], out=np.zeros(len(a)), where=total[parents] > 0)
        p += gamma[parents] * shorter[level.suffixes]
        first, before, shorter = first + before, len(a), p
        probs.append(p)
        gammas.append(gamma)
        kept.append(keep)
    probs[0][[PAD, START]] = 0.0
    sizes = tuple(int(keep.sum()) for keep in kept)
    return Smoothed(_laid_out(levels, probs, gammas, kept, size), discounts, sizes)


def _laid_out(
    levels: Sequence[Level],
    probs: Sequence[Array],
    gammas: Sequence[Array],
    kept: Sequence[Array],
    size: int,
) -> BackoffTable:
    """Number those that are kept, and join all lengths."""
    keys, suffixes = [np.array([-1])], [np.zeros(1, np.int64)]
    log_probs, backoffs = [np.array([NEVER])], list[Array]()
    old, new = 0, 0  # the first node of the level above, before and after pruning
    numbers = np.zeros(1, np.int64)  # after pruning, of that level
    here = np.ones(1, bool)
    for level, p, gamma, keep in zip(levels, probs, gammas, kept, strict=True):
        parents, symbols = np.divmod(level.keys[keep], size)
        keys.append((numbers[parents - old] + new) * size + symbols)
        suffixes.append(numbers[level.suffixes[keep]] + new if len(keys) > 2 else symbols * 0)
        log_probs.append(_log(p[keep]))
        backoffs.append(_log(gamma[here]) if backoffs else np.zeros(1))  # nothing behind the root
        old, new = old + len(here), new + int(here.sum())
        numbers, here = np.cumsum(keep) - 1, keep
    joined = np.concatenate(keys)
    n_contexts = sum(map(len, backoffs))
    children = np.searchsorted(joined, np.arange(n_contexts + 1) * size)
    arrays = (joined, np.concatenate(suffixes), children)
    kinds = (np.int64, np.int32, np.int32)
    whole = [torch.from_numpy(a.astype(kind)) for a, kind in zip(arrays, kinds, strict=True)]
    real = [torch.from_numpy(np.concatenate(a).astype(np.float32)) for a in (log_probs, backoffs)]
    return BackoffTable(*whole, *real)


def _log(p: Array) -> Array:
    """Return logarithms of probabilities; NEVER of 0."""
    return np.log(np.minimum(p, 1.0), out=np.full(len(p), NEVER), where=p > 0)
