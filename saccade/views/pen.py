"""Lines of a pen for views: scaled to a box, coloured by who they belong to, or in dots."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from saccade.modalities._strokes import Strokes
from saccade.views import svg

_HIGHEST, _WIDEST = 120.0, 880.0  # pixels of a line of writing
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # [4, 2] dots of a character
_TALLEST = 6  # rows of a terminal


class FittedStrokes:
    """Strokes scaled to fit a line: `points [T, 2]` in pixels, `width` and `height`."""

    def __init__(self, strokes: Strokes) -> None:
        left, top, right, bottom = strokes.box
        wide, high = max(right - left, 1e-9), max(bottom - top, 1e-9)
        factor = min(_WIDEST / wide, _HIGHEST / high)
        self.points = (strokes.points[:, :2] - (left, top)) * factor
        self.lifted = strokes.points[:, 2] > 0
        self.width, self.height = wide * factor, high * factor


def inked(fitted: FittedStrokes, x: float, y: float, owners: Sequence[int] = ()) -> str:
    """Draw strokes with their corner at (x, y).

    Args:
        fitted: the strokes.
        x: where their left edge is.
        y: where their upper edge is.
        owners: of every point but the first, the number of what it belongs to, which gives it one
            of the colours; -1 is nothing. One colour if there are none.
    """
    found: list[str] = []
    at = [f"{svg.number(x + a)} {svg.number(y + b)}" for a, b in fitted.points.tolist()]
    for first, last, owner in runs(fitted, [*owners] or [0] * (len(fitted.points) - 1)):
        kind = "axis" if owner < 0 else f"s{owner % svg.N_COLOURS}"
        found.append(f'<path class="line {kind}" d="M{" L".join(at[first : last + 1])}"/>')
    return "".join(found)


def runs(fitted: FittedStrokes, owners: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield pieces of strokes with one owner: their first and last point, and who it is."""
    first = -1
    for t, owner in enumerate(owners, start=1):
        if fitted.lifted[t - 1]:
            continue  # a move above the paper
        first = t - 1 if first < 0 else first
        if t == len(owners) or fitted.lifted[t] or owners[t] != owner:
            yield first, t, owner
            first = -1


def dots(strokes: Strokes, width: int) -> list[str]:
    """Draw strokes in Braille characters, at most `width` of them in a row.

    >>> dots(Strokes.of([[(0, 0), (0, 30), (30, 30)]]), 4)
    ['⡇', '⣇⣀⣀⣀']
    """
    left, top, right, bottom = strokes.box
    wide, high = max(right - left, 1e-9), max(bottom - top, 1e-9)
    factor = min((2 * width - 1) / wide, (4 * _TALLEST - 1) / high)
    n_rows, n_columns = int(high * factor) // 4 + 1, int(wide * factor) // 2 + 1
    cells = np.zeros((n_rows, n_columns), dtype=np.int64)
    for stroke in strokes:
        scaled = (stroke - (left, top)) * factor
        for begin, end in pairwise(scaled):
            n = int(np.abs(end - begin).max()) + 1
            line = begin + np.linspace(0, 1, n + 1)[:, None] * (end - begin)
            for a, b in np.round(line).astype(int).tolist():
                a, b = min(a, 2 * n_columns - 1), min(b, 4 * n_rows - 1)  # noqa: PLW2901
                cells[b // 4, a // 2] |= _BRAILLE[b % 4][a % 2]
    return ["".join(chr(0x2800 + c) for c in row).rstrip("\u2800") for row in cells.tolist()]


def owners_of(weights: npt.NDArray[np.float64]) -> list[int]:
    """Return for every row of weights `[T, S]` the column with the largest; -1 if all are zero."""
    found = weights.argmax(axis=1) if weights.size else np.zeros(len(weights), dtype=np.int64)
    return [int(s) if weights[t, s] > 0 else -1 for t, s in enumerate(found.tolist())]
