"""Sounds at another rate, by a windowed sinc."""

from functools import cached_property, lru_cache
from math import gcd
from typing import final

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
    stream = ResampleStream(before, after)
    return np.concatenate([stream.feed(x), stream.finish()])


def resample_by_matrix(x: NDArray[np.float64], before: int, after: int) -> NDArray[np.float64]:
    """Return what `resample` does, to rounding, by one matrix for all periods of the two rates.

    For training, where few pairs of small rates come often: speeds of 0.9 to 1.1, of sounds of two
    seconds at 8 kHz, take 0.14 ms each, and 1.6 by `resample`, which a stream gives bit for bit.
    """
    shared = gcd(before, after)
    down, up = before // shared, after // shared
    if before == after or not len(x) or up * (down + 2 * _reach(up, down)) > _SMALL:
        return resample(x, before, after)
    matrix, half = _matrix(up, down), _reach(up, down)  # [down + 2 half, up]
    n = -(-len(x) // down)
    around = np.concatenate([np.zeros(half), x, np.zeros(n * down - len(x) + half)])
    windows = np.lib.stride_tricks.sliding_window_view(around, len(matrix))[::down]
    return np.asarray((windows @ matrix).reshape(-1)[: -(-len(x) * up // down)])


@final
class ResampleStream:
    """A sound that comes in chunks, at another rate; together they are as `resample` of the whole.

    It holds as many samples as the filter is long.
    """

    def __init__(self, before: int, after: int) -> None:
        self._same = before == after
        shared = gcd(before, after)
        self._down, self._up = before // shared, after // shared
        self._half = 0 if self._same else _reach(self._up, self._down)
        self._held = np.zeros(self._half)  # beyond its ends x is zero
        self._first = -self._half  # number of the first sample that is held
        self._made = 0  # samples that were given back

    @cached_property
    def _phases(self) -> NDArray[np.float64]:
        small = coefficients(self._down, self._up) <= _SMALL
        return _kept(self._up, self._down) if small else _table(self._up, self._down)

    def feed(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take the next samples, any number of them; return those that are settled now."""
        if self._same:
            return x
        up, down, half = self._up, self._down, self._half
        held = np.concatenate([self._held, x])
        ready = self._first + len(held) - half  # so many samples have all their neighbours
        count = max(-(-ready * up // down), self._made)
        found = np.empty(count - self._made)
        if len(found):
            windows = np.lib.stride_tricks.sliding_window_view(held, 2 * half + 1)
            for begin in range(self._made, count, _BLOCK):
                place = np.arange(begin, min(begin + _BLOCK, count)) * down
                found[place // down - self._made] = np.einsum(
                    "mk,mk->m", windows[place // up - half - self._first], self._phases[place % up]
                )
        self._made = count
        keep = count * down // up - half - self._first
        self._held, self._first = held[keep:], self._first + keep
        return found

    def finish(self) -> NDArray[np.float64]:
        """Return the last samples."""
        return self.feed(np.zeros(self._half))


def coefficients(before: int, after: int) -> int:
    """Return how many numbers the filter has: many for rates that share no large divisor.

    >>> coefficients(48_000, 16_000), coefficients(8000, 8000)
    (103, 35)
    """
    shared = gcd(before, after)
    down, up = before // shared, after // shared
    return up * _reach(up, down)


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


@lru_cache(maxsize=64)
def _matrix(up: int, down: int) -> NDArray[np.float64]:
    """Return what each of `down` samples and their neighbours counts in each of `up`."""
    table, half = _table(up, down), _reach(up, down)
    found = np.zeros((down + 2 * half, up))
    for m, row in enumerate(table[np.arange(up) * down % up]):
        begin = m * down // up
        found[begin : begin + len(row), m] = row
    return found
