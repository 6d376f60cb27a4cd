"""Was any of the source left out? Only models with attention can say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.guards.flag import Flag, quote, spell

_SHORTEST, _LONGEST = 3, 12  # words of a hole
_LETTERS = 10  # that they have together, at least
_SPELLED = 4  # pieces to a word from which on pieces are looked at, not words


def coverage(
    source: Sequence[str], words: Sequence[int], weights: NDArray[np.float32] | None
) -> tuple[Flag, ...]:
    """Flag a stretch of the source that the output hardly looked at.

        c[w] = sum over t and s in w of weights[t, s], over what w had got if all pieces got alike
        mean of c over k words in a row < min((k - 1) / 10, 0.5),    k = 3 ... 12

    Where words have over 4 pieces on average (characters, scripts without spaces) w is a piece.
    Short stretches are let pass, since a good output may skip an article or an auxiliary; the limit
    rises with k since chance skips no stretch.

    Args:
        source: the source's pieces, without END.
        words: the number of the word that each belongs to.
        weights: `[T, S]` or `[T, S + 1]` with END last; None for a model without attention.
    """
    if weights is None or not source or not weights.size:
        return ()
    spelled = len(source) > _SPELLED * (words[-1] + 1)
    units = list(range(len(source))) if spelled else words
    first, last = _hole(fair_shares(units, weights))
    places = tuple(s for s, unit in enumerate(units) if first <= unit < last)
    if sum(c.isalnum() for s in places for c in source[s]) < _LETTERS:
        return ()
    text = spell([source[s] for s in places])
    return (
        Flag("coverage", f"The output may leave out {quote(text)}.", places=places, side="source"),
    )


def fair_shares(units: Sequence[int], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return what each unit got of the looks, over what it had got if all pieces got alike."""
    looks = weights[:, : len(units)].sum(axis=0, dtype=np.float64)  # [S]
    sums, sizes = np.bincount(units, weights=looks), np.bincount(units)
    return np.asarray(sums * len(units) / np.maximum(sizes * looks.sum(), 1e-9))


def _hole(shares: NDArray[np.float64]) -> tuple[int, int]:
    """Return first and past-last unit of the widest stretch that is below its limit; (0, 0)."""
    for k in range(min(_LONGEST, len(shares) - 1), _SHORTEST - 1, -1):
        means = np.convolve(shares, np.full(k, 1 / k), mode="valid")
        start, limit = int(means.argmin()), min((k - 1) / 10, 0.5)
        if means[start] < limit:
            inside = np.flatnonzero(shares[start : start + k] < limit)  # its ends may be well seen
            return start + int(inside[0]), start + int(inside[-1]) + 1
    return 0, 0
