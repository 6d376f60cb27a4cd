"""What is usual at a given length: limits of a figure, measured on a corpus in bands of length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_FEWEST = 200  # values that a band must hold
_MOST = 8  # bands


@dataclass(frozen=True, slots=True)
class Band:
    """Between which limits a figure lies for nearly all lengths up to `up_to`."""

    up_to: int
    low: float
    high: float


def measure(lengths: ArrayLike, figures: ArrayLike, share: float) -> tuple[Band, ...]:
    """Cut by length into bands of equal size, and leave out `share` at either end of each.

    low, high = quantiles share and 1 - share of figures[lengths in band]
    """
    by, values = np.asarray(lengths), np.asarray(figures, dtype=np.float64)
    if not by.size:
        return ()
    n_bands = int(np.clip(by.size // _FEWEST, 1, _MOST))
    edges = np.unique(np.quantile(by, np.arange(1, n_bands + 1) / n_bands, method="higher"))
    found, below = [], -1
    for edge in edges.tolist():
        inside = values[(by > below) & (by <= edge)]
        if inside.size:
            low, high = np.quantile(inside, [share, 1 - share]).tolist()
            found.append(Band(int(edge), float(f"{low:.4g}"), float(f"{high:.4g}")))
        below = edge
    return tuple(found)


def at(bands: Sequence[Band], length: int) -> Band | None:
    """Return the band that a length falls into; the last holds all that are longer.

    >>> at([Band(5, 0.5, 2.0), Band(9, 0.8, 1.5)], 40)
    Band(up_to=9, low=0.8, high=1.5)
    """
    return next((band for band in bands if length <= band.up_to), bands[-1] if bands else None)
