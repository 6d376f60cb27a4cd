"""A picture in the making, as a film strip: the canvas after every step, and where it was written.

White is a pixel that is certainly on. The square is the window that was written through; where a
picture is copied, the dashed one is the window through which it was read before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.modalities._picture import Picture, to_text
from saccade.views import axes, svg

Shades = npt.NDArray[np.floating]  # [H, W]: probabilities of pixels, 0 to 1
Square = tuple[float, float, float, float]  # top, left, bottom, right in pixels
_SIDE, _GAP, _EDGE = (
    84.0,
    12.0,
    20.0,
)  # pixels: of a frame's longer side, between frames, around all
_COLUMNS = 8  # frames in a row
_MOST = 128  # pixels of a frame each way; larger canvases are averaged
_SHADES = " ·░▒▓█"
_STRIPS = 2  # rows of frames in a terminal
_WRITE, _READ = "┌┐└┘", "╭╮╰╯"  # corners of windows in a terminal


@dataclass(frozen=True, slots=True)
class CanvasStep:
    """The canvas after one step, and the windows of the step, if there are any."""

    shades: Shades
    write: Square | None = None
    read: Square | None = None


def to_svg(
    steps: Sequence[CanvasStep], *, copied: Shades | None = None, said: str = "", title: str = ""
) -> str:
    """Draw the canvas after every step, in rows of eight; `copied` is what it was to become."""
    _check("canvas.to_svg", steps)
    height, width = steps[0].shades.shape
    zoom = _SIDE / max(height, width)
    frames = [(1, 0, "to copy", CanvasStep(copied))] if copied is not None else []
    first = len(frames)
    frames += [
        (n % _COLUMNS + first + 1, n // _COLUMNS, str(n + 1), s) for n, s in enumerate(steps)
    ]
    above = 44.0 if title else 16.0
    across, down = width * zoom + _GAP, height * zoom + _GAP + 16
    body = [svg.text(_EDGE, 30, title, kind="title")] if title else []
    for column, row, name, one in frames:
        x, y = _EDGE + (column - 1) * across, above + row * down
        label = svg.text(x + width * zoom / 2, y + 10, name, anchor="middle", kind="small")
        step = f' data-step="{name}"' if name.isdecimal() else ""
        body.append(f"<g{step}>{label}{_frame(one, x, y + 16, zoom)}</g>")
    bottom = above + -(-len(steps) // _COLUMNS) * down
    if said:
        body.append(svg.text(_EDGE, bottom + 14, said))
        bottom += 20
    wide = (min(len(steps), _COLUMNS) + first) * across - _GAP
    wide = max(wide, svg.pixels(title) * 1.2, svg.pixels(said)) + 2 * _EDGE
    name = title or f"a canvas in {len(steps)} steps"
    return svg.document(wide, bottom + 10, "".join(body), name=name)


def to_terminal(steps: Sequence[CanvasStep], *, said: str = "", width: int = 100) -> str:
    """Draw as many steps in shades as two strips hold, evenly chosen, the last always.

    Corners mark the window of writing; round corners that of reading.
    """
    axes.check_width("canvas.to_terminal", width)
    _check("canvas.to_terminal", steps)
    columns = steps[0].shades.shape[1]
    block = max(1, -(-columns // width))  # pixels of a character across; twice as many down
    room = -(-columns // block)
    each = max((width + 2) // (room + 2), 1)
    n_shown = min(len(steps), each * _STRIPS)
    chosen = np.unique(np.linspace(len(steps), 1, n_shown).round().astype(int)).tolist()
    lines = []
    for first in range(0, len(chosen), each):
        frames = [
            [str(n).ljust(room)[:room], *_characters(steps[n - 1], block)]
            for n in chosen[first : first + each]
        ]
        lines += ["  ".join(row).rstrip() for row in zip(*frames, strict=True)]
    return "\n".join([*lines, *([said] if said else [])]) + "\n"


def averages(shades: Shades, down: int, across: int) -> Shades:
    """Average blocks of pixels; those at the edges may be smaller.

    >>> averages(np.array([[0.0, 1.0, 1.0]]), 1, 2).tolist()
    [[0.5, 1.0]]
    """
    rows, columns = (
        np.arange(0, size, block) for size, block in zip(shades.shape, (down, across), strict=True)
    )
    summed = np.add.reduceat(np.add.reduceat(shades, rows, axis=0), columns, axis=1)
    counts = (
        np.diff([*rows, shades.shape[0]])[:, None] * np.diff([*columns, shades.shape[1]])  # [h, w]
    )
    return np.asarray(summed / counts)


def image(shades: Shades, x: float, y: float, width: float, height: float) -> str:
    """Draw shades from 0, black, to 1, white."""
    block = -(-max(shades.shape) // _MOST)
    small = averages(np.nan_to_num(shades), block, block) if block > 1 else np.nan_to_num(shades)
    grey = np.rint(small.clip(0, 1) * 255).astype(np.uint8)
    pixels = np.ascontiguousarray(grey[:, :, None].repeat(3, axis=2))
    return (
        f'<image href="{to_text(Picture(pixels))}" x="{svg.number(x)}" y="{svg.number(y)}"'
        f' width="{svg.number(width)}" height="{svg.number(height)}"'
        ' preserveAspectRatio="none" style="image-rendering:pixelated"/>'
    )


def _check(where: str, steps: Sequence[CanvasStep]) -> None:
    shapes = {one.shades.shape for one in steps}
    if len(shapes) != 1 or any(len(shape) != 2 or 0 in shape for shape in shapes):
        raise ShapeError(
            f"{where}: {len(steps)} steps with canvases {sorted(map(list, shapes))[:3]}; expected"
            " at least one, all [H, W]. Pass one canvas for each step."
        )


def _frame(one: CanvasStep, x: float, y: float, zoom: float) -> str:
    height, width = one.shades.shape
    drawn = [image(one.shades, x, y, width * zoom, height * zoom)]
    for name, square, look in (
        ("read", one.read, 's2" stroke-dasharray="3 3'),
        ("written", one.write, "s1"),
    ):
        if square is None:
            continue
        top, left, bottom, right = _inside(square, height, width)
        tip = svg.tip(f"{name}: rows {square[0]:.0f} to {square[2]:.0f}")
        drawn.append(
            f'<rect class="line {look}" fill="none" x="{svg.number(x + left * zoom)}"'
            f' y="{svg.number(y + top * zoom)}" width="{svg.number((right - left) * zoom)}"'
            f' height="{svg.number((bottom - top) * zoom)}">{tip}</rect>'
        )
    return "".join(drawn)


def _inside(square: Square, height: int, width: int) -> Square:
    """Cut a window off just outside of the canvas."""
    top, left, bottom, right = square
    return (
        min(max(top, -1.0), height + 0.5),
        min(max(left, -1.0), width + 0.5),
        max(min(bottom, height + 1.0), -0.5),
        max(min(right, width + 1.0), -0.5),
    )


def _characters(one: CanvasStep, block: int) -> list[str]:
    small = averages(np.nan_to_num(one.shades), 2 * block, block).clip(0, 1)
    inks = np.rint(small * (len(_SHADES) - 1)).astype(int)
    rows = [[_SHADES[ink] for ink in row] for row in inks.tolist()]
    for square, corners in ((one.read, _READ), (one.write, _WRITE)):
        if square is not None:
            _corner(rows, square, corners, block)
    return ["".join(row) for row in rows]


def _corner(rows: list[list[str]], square: Square, corners: str, block: int) -> None:
    """Put the corners of a window over a canvas of characters; those outside move to its edge."""
    top, left, bottom, right = square
    downs = [int(np.clip(place // (2 * block), 0, len(rows) - 1)) for place in (top, bottom - 1)]
    acrosses = [int(np.clip(place // block, 0, len(rows[0]) - 1)) for place in (left, right - 1)]
    places = [(y, x) for y in downs for x in acrosses]
    for (y, x), mark in zip(places, corners, strict=True):
        rows[y][x] = mark
