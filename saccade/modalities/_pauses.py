"""Where somebody pauses: a sound that goes on and on is cut into stretches that a model can read.

Where it is cut depends on its samples alone, not on the chunks in which they come.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.modalities._wave import Samples

_BLOCKS = 100  # a second: what is loud or quiet as a whole
_FAINTEST, _LOUDEST = -70.0, -30.0  # decibels below full scale that noise may have
_ABOVE = 12.0  # decibels by which speech is louder than noise
_FALL, _RISE = 0.2, 0.02  # how fast noise is found: share of the way down, decibels up, a block
_RUN = 3  # loud blocks in a row that are speech, not a click


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Samples `[n]` between two pauses; first: the number of the first of them in the stream."""

    first: int
    samples: Samples


@dataclass(slots=True)
class NoiseLevel:
    """How loud it is while nobody speaks, in decibels below full scale.

        noise += 0.2 (level - noise)        if the level is below
        noise += 0.02                       if it is above: 2 decibels a second

    What is 12 decibels above it is loud. Minimum statistics in their simplest form (Martin 2001,
    IEEE Trans. Speech and Audio Processing 9, 5).
    """

    noise: float = -50.0

    def loud(self, level: float) -> bool:
        """Take the level of the next block; tell whether it is loud."""
        below = level < self.noise
        self.noise += _FALL * (level - self.noise) if below else _RISE
        self.noise = min(max(self.noise, _FAINTEST), _LOUDEST)
        return level > self.noise + _ABOVE


def levels(samples: NDArray[np.generic], size: int) -> NDArray[np.float64]:
    """Return how loud every whole block of `size` samples is, in decibels below full scale.

    >>> levels(np.array([32767, -32767, 0, 0, 9], np.int16), 2).round().tolist()
    [-0.0, -100.0]
    """
    n = len(samples) // size
    blocks = samples[: n * size].reshape(n, size).astype(np.float64)
    return np.asarray(10 * np.log10((blocks**2).mean(axis=1) / 32768.0**2 + 1e-10))


@final
class Pauses:
    """Cuts a stream of samples at pauses, and no later than after the longest stretch.

    A stretch ends when it has been quiet for `pause` seconds; the first half of them belong to it,
    the others to the next one. What is quiet before somebody speaks is left out, but for the last
    `pause` seconds. A stretch that grows too long is cut at the quietest moment of its second half.
    Memory holds no more than the longest stretch and the last chunk.

    Args:
        rate: samples a second.
        pause: seconds of quiet that end a stretch.
        longest: samples of a stretch, at most.
    """

    def __init__(self, rate: int, *, pause: float = 0.6, longest: int) -> None:
        self.rate, self._size = rate, max(rate // _BLOCKS, 1)
        self._pause, self._longest = round(pause * _BLOCKS), longest // self._size
        if not (0.1 <= pause <= 10.0) or self._longest < 2 * self._pause:
            raise RecipeError(
                f"listen: a pause of {pause:g} seconds in stretches of {longest / rate:g}; expected"
                " a pause of 0.1 to 10 seconds, and stretches of twice that or more. Change them."
            )
        self._noise = NoiseLevel()
        self._heard: Samples = np.zeros(0, np.int16)  # from `_first` on
        self._first, self._levels, self._loud = 0, list[float](), list[bool]()
        self._spoken, self._whole = False, True  # whole: nothing was cut or left out so far

    @property
    def current(self) -> Stretch | None:
        """What was heard since the last pause; None if nobody has spoken."""
        return Stretch(self._first, self._heard) if self._spoken else None

    def feed(self, samples: Samples) -> list[Stretch]:
        """Take the next samples, any number of them; return the stretches that ended."""
        self._heard = np.concatenate([self._heard, samples])
        found = []
        known = len(self._levels) * self._size
        for level in levels(self._heard[known:], self._size).tolist():
            found += self._block(level)
        return found

    def finish(self) -> list[Stretch]:
        """Return what was said since the last pause; all, if there was no pause at all."""
        last = Stretch(self._first, self._heard)
        return [last] if len(self._heard) and (self._spoken or self._whole) else []

    def _block(self, level: float) -> list[Stretch]:
        """Take the level of the next block; cut if that is due."""
        self._levels.append(level)
        self._loud.append(self._noise.loud(level))
        n = len(self._levels)
        self._spoken = self._spoken or (n >= _RUN and all(self._loud[-_RUN:]))
        if not self._spoken:
            self._drop(n - self._pause)
            return []
        if n >= self._pause and not any(self._loud[-self._pause :]):
            return [self._cut(n - self._pause + self._pause // 2, spoken=False)]
        if n >= self._longest:
            half = n // 2
            place = half + int(np.argmin(self._levels[half:])) + 1
            return [self._cut(place, spoken=any(self._loud[place:]))]
        return []

    def _cut(self, place: int, *, spoken: bool) -> Stretch:
        """End a stretch behind its block number `place`."""
        found = Stretch(self._first, self._heard[: place * self._size].copy())
        self._drop(place)
        self._spoken = spoken
        return found

    def _drop(self, n: int) -> None:
        """Forget the first `n` blocks."""
        if n > 0:
            self._heard, self._first = self._heard[n * self._size :], self._first + n * self._size
            del self._levels[:n], self._loud[:n]
            self._whole = False
