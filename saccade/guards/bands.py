"""What is usual at a given length: limits of a figure, measured on a corpus in bands of length."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """Between which limits a figure lies for nearly all lengths up to `up_to`."""

    up_to: int
    low: float
    high: float


def at(bands: Sequence[Band], length: int) -> Band | None:
    """Return the band that a length falls into; the last holds all that are longer.

    >>> at([Band(5, 0.5, 2.0), Band(9, 0.8, 1.5)], 40)
    Band(up_to=9, low=0.8, high=1.5)
    """
    return next((band for band in bands if length <= band.up_to), bands[-1] if bands else None)
