"""Sounds at another rate, by a windowed sinc."""

from functools import lru_cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

_ZEROS = 32  # zero crossings of the sinc on each side
_ROLL = 0.94  # where the filter begins to fall, as a share of the lower Nyquist frequency
_BETA = 9.0  # of Kaiser's window: what lies outside is 90 dB down
_SMALL = 1 << 18  # coefficients of a table that is kept
_BLOCK = 1 << 15  # samples that are made at once


def resample(x: NDArray[np.float64], before: int, after: int) -> NDArray[np.float64]:
    """Return a sound `[n]` of `before` samples a second with `after` of them.

        y[m] = sum_k x[k] h(m before / after - k)
        h(t) = c sinc(c t) kaiser(t / w),   c = 0.94 min(1, after / before),   w = 32 / c

    c lies below the lower of both Nyquist frequencies, so nothing is folded back (Smith, "Digital
    audio resampling", ccrma.stanford.edu/~jos/resample). y has ceil(n after / before) samples; the
    first is where the first of x is, and beyond its ends x is zero.

    >>> resample(np.ones(400), 8000, 16000).shape
    (800,)
    """
    if before == after or not len(x):
        return x
    shared = gcd(before, after)
    down, up = before // shared, after // shared
    table = _kept(up, down) if up * _reach(up, down) <= _SMALL else _table(up, down)
    half = _reach(up, down)
    around = np.concatenate([np.zeros(half), x, np.zeros(half + 1)])
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * half + 1)
    found = np.empty(-(-len(x) * up // down))
    for begin in range(0, len(found), _BLOCK):
        place = np.arange(begin, min(begin + _BLOCK, len(found))) * down
        found[begin : begin + _BLOCK] = np.einsum(
            "mk,mk->m", windows[place // up], table[place % up]
        )
    return found


def _reach(up: int, down: int) -> int:
    """Return how many samples on each side count."""
    return int(np.ceil(_ZEROS / _cutoff(up, down)))


def _cutoff(up: int, down: int) -> float:
    return _ROLL * min(1.0, up / down)


def _table(up: int, down: int) -> NDArray[np.float64]:
    """Return h for every phase, `[up, 2 reach + 1]`; each sums to one, so a level stays."""
    half, c = _reach(up, down), _cutoff(up, down)
    t = np.arange(up)[:, None] / up - np.arange(-half, half + 1)  # [up, K]
    inside = np.clip(1 - (t * c / _ZEROS) ** 2, 0, None)
    window = np.where(inside > 0, np.i0(_BETA * np.sqrt(inside)), 0.0)
    h = np.sinc(c * t) * window
    return np.asarray(h / h.sum(axis=1, keepdims=True))


_kept = lru_cache(maxsize=64)(_table)
