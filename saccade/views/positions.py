"""A position encoding as a picture: a row for each place, a column for each dimension."""

from itertools import groupby

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.ticks import short, ticks
from saccade.views.weights import Weights
from saccade.views.words import clean, shorten

LEVELS = 8  # steps of colour from 0 to the largest value, on each side
COOL = (17, 18, 25, 31, 38, 81, 123, 195)  # 256-colour tables, positive and negative
WARM = (52, 88, 124, 166, 172, 208, 215, 223)

_SIGNS = "▼▽·△▲"


def to_svg(matrix: Weights, *, title: str = "", across: str = "dimension") -> str:
    """Draw `matrix [n, D]` in two hues: one for positive values, one for negative.

        opacity = |value| / largest |value|,  in eight steps

    `across` is what a column stands for. A value that is not finite is left blank. Cells of one
    colour share one path, so that hundreds of dimensions make a small file.
    """
    found = _checked("positions.to_svg", matrix)
    n, dim = found.shape
    wide, high = min(max(720 / dim, 2.0), 20.0), min(max(420 / n, 6.0), 20.0)
    left, above = 64.0, 58.0 if title else 30.0
    right, bottom = left + dim * wide, above + n * high
    top, levels = _levels(found)
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body.append(f'<g transform="translate({svg.number(left)} {svg.number(above)})">')
    for level in sorted({*np.unique(levels).tolist()} - {0}):
        look = f'class="f{int(level < 0)}" fill-opacity="{svg.number(abs(level) / LEVELS)}"'
        body.append(f'<path {look} d="{_cells(levels == level, wide, high)}"/>')
    frame = f'width="{svg.number(dim * wide)}" height="{svg.number(n * high)}"'
    body.append(f'<rect class="rule" fill="none" {frame}/></g>')
    for place in _marks(n):
        y = above + (place + 0.5) * high + 4
        body.append(svg.text(left - 8, y, str(place), anchor="end", kind="small"))
    for place in _marks(dim):
        x = left + (place + 0.5) * wide
        body.append(svg.text(x, bottom + 16, str(place), anchor="middle", kind="small"))
    middle = (above + bottom) / 2
    body.append(svg.text(20, middle, "place", anchor="middle", kind="small", turn=-90))
    body.append(svg.text(left, bottom + 34, across, kind="small"))
    body.append(_scale(left + 90, bottom + 25, top))
    width = max(right + 24, left + 400, svg.pixels(title) * 1.2 + 40)
    return svg.document(width, bottom + 50, "".join(body), name=title or "position encoding")


def to_terminal(
    matrix: Weights,
    *,
    title: str = "",
    across: str = "dimension",
    colour: bool,
    width: int = 100,
) -> str:
    """Draw one column for each dimension; if there are too many, every third, fifth, ... of them.

    Without colour, `▲` and `△` are positive, `▼` and `▽` negative, `·` is near 0.
    """
    axes.check_width("positions.to_terminal", width)
    found = _checked("positions.to_terminal", matrix)
    margin = len(str(len(found) - 1))
    stride = -(-found.shape[1] // (width - margin - 1))
    stride += stride % 2 == 0  # an odd stride shows sines and cosines alike
    top, levels = _levels(found)
    lines = [shorten(clean(title), width)] if title else []
    for place, (row, values) in enumerate(
        zip(levels[:, ::stride].tolist(), found[:, ::stride].tolist(), strict=True)
    ):
        cells = "".join(
            _glyph(level, colour=colour) if np.isfinite(value) else "?"
            for level, value in zip(row, values, strict=True)
        )
        lines.append(f"{place:>{margin}} {cells}")
    every = f"every {across}" if stride == 1 else f"1 {across} of {stride}"
    lines.append(f"{every}, -{short(top)} to {short(top)}")
    return "".join(f"{shorten(line, width) if not colour else line}\n" for line in lines)


def _checked(where: str, matrix: Weights) -> npt.NDArray[np.float64]:
    found = np.asarray(matrix, dtype=np.float64)
    if found.ndim != 2 or not found.size:
        raise ShapeError(
            f"{where}: the matrix has shape {list(found.shape)}; expected [n, D] with at least one "
            "place and one dimension; pass one row for each place."
        )
    return found


def _levels(found: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.int64]]:
    """Return the largest absolute value, and every value as a step from -LEVELS to LEVELS."""
    finite = np.where(np.isfinite(found), found, 0.0)
    top = float(np.abs(finite).max()) or 1.0
    return top, np.rint(finite / top * LEVELS).astype(np.int64)


def _cells(chosen: npt.NDArray[np.bool_], wide: float, high: float) -> str:
    """Return the outline of the chosen cells; neighbours in a row are drawn as one."""
    drawn = []
    for i, row in enumerate(chosen.tolist()):
        start = 0
        for on, run in groupby(row):
            length = len(list(run))
            if on:
                x, y, across = (svg.number(v) for v in (start * wide, i * high, length * wide))
                drawn.append(f"M{x} {y}h{across}v{svg.number(high)}h-{across}z")
            start += length
    return "".join(drawn)


def _marks(n: int) -> list[int]:
    return [int(mark) for mark in ticks(0, max(n - 1, 1)) if mark.is_integer() and mark < n]


def _scale(x: float, y: float, top: float) -> str:
    drawn = [svg.text(x - 6, y + 9, short(-top), anchor="end", kind="small")]
    for k, level in enumerate(range(-LEVELS, LEVELS + 1)):
        drawn.append(
            f'<rect class="f{int(level < 0)}" fill-opacity="{svg.number(abs(level) / LEVELS)}" '
            f'x="{svg.number(x + k * 9)}" y="{svg.number(y)}" width="8" height="10" rx="1.5"/>'
        )
    end = svg.text(x + (2 * LEVELS + 1) * 9 + 5, y + 9, short(top), kind="small")
    return "".join([*drawn, end])


def _glyph(level: int, *, colour: bool) -> str:
    if not colour:
        return _SIGNS[2 + round(level / LEVELS * 2)]
    if not level:
        return " "
    return f"\x1b[48;5;{(COOL if level > 0 else WARM)[abs(level) - 1]}m \x1b[0m"
