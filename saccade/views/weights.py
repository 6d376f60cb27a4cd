"""Attention weights as the views take them: checked against their words and given a scale."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError

Weights = npt.NDArray[np.floating[Any]]

_TOPS = (0.1, 0.25, 0.5, 1.0)


def checked(
    where: str, weights: Weights, source: Sequence[str], target: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Return `weights` as float64 [T, S], or raise if it does not have a place for every word."""
    found = np.asarray(weights, dtype=np.float64)
    expected = (len(target), len(source))
    if found.shape != expected:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(target)} target words and "
            f"{len(source)} source words need {list(expected)}; pass one row for each target word "
            "and one column for each source word."
        )
    return found


def top_of(weights: npt.NDArray[np.float64]) -> float:
    """Return the weight that gets the full colour: 0.1, 0.25, 0.5 or 1, or more if need be.

    Diffuse attention over sixty words would be invisible on a scale that ends at 1; a few round
    ends keep most pictures comparable.
    """
    largest = float(np.max(weights, where=np.isfinite(weights), initial=0.0))
    return next((top for top in _TOPS if largest <= top + 1e-6), largest)


def share(weight: float, top: float) -> float:
    """Return where a weight lies between 0 and `top`; 0 if it is negative or not finite."""
    return min(max(weight / top, 0.0), 1.0) if np.isfinite(weight) else 0.0


def placed(row: int, column: int, weight: float) -> str:
    """Return what a page may ask a cell for: its place, and its weight unless that is not finite.

    >>> placed(0, 2, 0.25)
    'data-row="0" data-column="2" data-value="0.25"'
    """
    value = f"{weight:.4g}" if np.isfinite(weight) else ""
    return f'data-row="{row}" data-column="{column}" data-value="{value}"'


def spoken(weight: float) -> str:
    """Write a weight for a tooltip.

    >>> spoken(0.8349), spoken(float("inf"))
    ('0.83', 'not finite')
    """
    return f"{weight:.2f}" if np.isfinite(weight) else "not finite"
