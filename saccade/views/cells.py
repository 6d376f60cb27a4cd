"""Weights over the cells of a picture: where the cells lie, how spread the weight is, and smooth.

Cells are of one size from the upper left corner on; the last ones may reach beyond the picture.
"""

import numpy as np
import numpy.typing as npt

from saccade.views.weights import Weights

Floats = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels; right and bottom are the first outside."""

MOST = 5  # cells whose share is told
_SIGMA = 0.6  # of a cell: how far the weight of a smooth map reaches


def finite(weights: Weights) -> Floats:
    """Return weights as float64; what is negative or not finite is 0."""
    found = np.asarray(weights, dtype=np.float64)
    return np.where(np.isfinite(found), np.maximum(found, 0.0), 0.0)


def entropy(weights: Weights) -> float:
    """Return how spread weights are, in bits; 0 if all lie in one place, or if there are none.

        H = - sum_c p[c] log2 p[c],      p = w / sum w

    >>> entropy(np.array([0.25, 0.25, 0.25, 0.25])), entropy(np.array([0.0, 0.7]))
    (2.0, 0.0)
    """
    kept = finite(weights).ravel()
    shares = kept[kept > 0] / max(float(kept.sum()), 1e-300)
    return abs(float(np.sum(shares * np.log2(shares))))


def share_of_most(weights: Weights, n: int = MOST) -> float:
    """Return the share of the weight that lies in the `n` heaviest places.

    >>> share_of_most(np.array([[0.5, 0.25], [0.25, 0.0]]), 2)
    0.75
    """
    kept = np.sort(finite(weights).ravel())[::-1]
    total = float(kept.sum())
    return float(kept[:n].sum()) / total if total else 0.0


def share_in_box(weights: Weights, box: Box, size: tuple[int, ...]) -> float:
    """Return the share of a word's weight that falls inside a box.

        sum_c w[c] |c in box| / |c|   over   sum_c w[c]

    The weight of a cell lies evenly on its pixels, those within the picture. Where no weight is
    finite and above zero the share is 0.

    Args:
        weights: `[H', W']`.
        box: left, top, right, bottom in pixels.
        size: height and width of the picture in pixels.

    >>> share_in_box(np.array([[0.75, 0.25]]), (0, 0, 3, 4), (4, 8))
    0.5625
    """
    kept = finite(weights)
    left, top, right, bottom = box
    down, across = cell_size(kept.shape, size)
    rows = covered(kept.shape[0], down, size[0], top, bottom)  # [H']
    columns = covered(kept.shape[1], across, size[1], left, right)  # [W']
    total = float(kept.sum())
    return float(rows @ kept @ columns) / total if total else 0.0


def cell_size(grid: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, int]:
    """Return the pixels of a cell, down and across."""
    return -(-size[0] // grid[0]), -(-size[1] // grid[1])


def covered(n: int, cell: int, size: int, low: float, high: float) -> Floats:
    """Return which share of each of `n` cells lies between two pixels: `[n]`."""
    begin = np.minimum(np.arange(n) * cell, size)
    end = np.minimum(begin + cell, size)
    inside = np.minimum(end, high) - np.maximum(begin, low)
    return np.asarray(np.maximum(inside, 0.0) / np.maximum(end - begin, 1))


def smooth(weights: Weights, size: tuple[int, ...], shape: tuple[int, int]) -> Floats:
    """Lay weights over a picture without edges between cells: `[..., H', W']` to `[..., h, w]`.

        a(p) = sum_c k(p - m[c]) w[c] / sum_c k(p - m[c]),      k(d) = exp(-d^2 / 2 s^2)

    m[c] is the middle of cell c and s 0.6 of its side. Xu et al. 2015 (arXiv:1502.03044), 5.4,
    enlarge the weights and apply a Gaussian filter; this is both at once, with kernels that sum to
    one at the edges too, so no value is above the largest weight.

    Args:
        weights: `[..., H', W']`.
        size: height and width of the picture in pixels.
        shape: rows and columns of the result, evenly over the picture.
    """
    kept = finite(weights)
    down, across = cell_size(kept.shape[-2:], size)
    rows = _kernel(kept.shape[-2], down, size[0], shape[0])  # [h, H']
    columns = _kernel(kept.shape[-1], across, size[1], shape[1])  # [w, W']
    return np.asarray(rows @ kept @ columns.T)


def _kernel(n: int, cell: int, size: int, points: int) -> Floats:
    """Return how much each of `n` cells gives to each of `points` places: `[points, n]`."""
    places = (np.arange(points) + 0.5) * (size / points)
    middles = (np.arange(n) + 0.5) * cell
    far = (places[:, None] - middles) / (_SIGMA * cell)
    near = np.exp(-0.5 * (far**2 - (far**2).min(axis=1, keepdims=True)))
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def top_of(weights: Floats) -> float:
    """Return the weight that gets the full light: the largest, rounded up to its first digit.

    Weight is spread over many cells, so a scale that always ends at 1 would leave most in the dark.

    >>> top_of(np.array([0.043])), top_of(np.array([0.52])), top_of(np.array([0.0]))
    (0.05, 0.6, 1.0)
    """
    largest = float(np.max(weights, where=np.isfinite(weights), initial=0.0))
    if largest < 1e-9:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(largest))
    return float(round(np.ceil(largest / unit - 1e-6) * unit, 12))
