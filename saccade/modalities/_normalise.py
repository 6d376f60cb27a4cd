"""Features brought to one scale: mean 0 and deviation 1 in every band."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from saccade.modalities._filterbank import Frames

FLOOR = np.float32(0.0)
"""The faintest energy, as a logarithm: below the noise of rounding to 16 bits, so that only digital
silence lies there, at a distance from speech that a model can live with."""
_LEAST = 0.1  # of a deviation that is divided by


@dataclass(frozen=True, slots=True, eq=False)
class BandScale:
    """Mean and deviation of every band, `[F]` and `[F]`."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]

    def apply(self, frames: Frames) -> Frames:
        """Return (x - mean) / deviation."""
        return (frames - self.mean) / self.deviation

    def plain(self) -> list[list[float]]:
        """Return numbers for a JSON file."""
        return [self.mean.tolist(), self.deviation.tolist()]


@final
class Sums:
    """Sums over frames, from which a scale is made. Digital silence does not count."""

    def __init__(self, bins: int) -> None:
        self.count, self.first, self.second = 0, np.zeros(bins), np.zeros(bins)

    def add(self, frames: Frames) -> None:
        """Add the frames of a sound."""
        heard = frames[(frames > FLOOR).any(axis=1)].astype(np.float64)
        self.count += len(heard)
        self.first += heard.sum(axis=0)
        self.second += (heard**2).sum(axis=0)

    def scale(self) -> BandScale:
        """Return the scale of all frames that were added; of none, one that changes nothing."""
        if not self.count:
            return BandScale(
                np.zeros(len(self.first), np.float32), np.ones(len(self.first), np.float32)
            )
        mean = self.first / self.count
        variance = np.maximum(self.second / self.count - mean**2, 0.0)
        deviation = np.maximum(np.sqrt(variance), _LEAST)
        return BandScale(mean.astype(np.float32), deviation.astype(np.float32))


def own_scale(frames: Frames) -> BandScale:
    """Return the scale of one sound."""
    sums = Sums(frames.shape[1])
    sums.add(frames)
    return sums.scale()


def read_scale(found: Any, bins: int) -> BandScale:
    """Read what `BandScale.plain` gave; ValueError if it is something else."""
    mean, deviation = (np.array(_numbers(row, bins), dtype=np.float32) for row in found)
    if not (np.isfinite(mean).all() and np.isfinite(deviation).all() and (deviation > 0).all()):
        raise ValueError("a scale has means and positive deviations")
    return BandScale(mean, deviation)


def _numbers(row: Iterable[Any], bins: int) -> list[float]:
    found = [float(one) for one in row if type(one) in (int, float)]
    if len(found) != bins:
        raise ValueError(f"a scale of {bins} bands has {bins} numbers, not {len(found)}")
    return found
