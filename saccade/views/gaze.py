"""The way of an eye over a picture: where each glimpse was taken, and what was seen there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.modalities._picture import Picture, to_text
from saccade.views import axes, svg
from saccade.views.picture_look import Pixels, averaged

_SIDE, _PATCH, _GAP = 280.0, 64.0, 10.0  # pixels: of the picture's longer side, of a patch, between
_SHADES = " ·░▒▓█"
_MARKS = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Glance:
    """One glimpse: what each scale sees as top, left, bottom, right, and its pixels `[g, g, 3]`."""

    boxes: tuple[tuple[float, float, float, float], ...]
    patches: tuple[Pixels, ...]

    @property
    def middle(self) -> tuple[float, float]:
        """Where it was taken, in pixels down and across."""
        top, left, bottom, right = self.boxes[0]
        return (top + bottom) / 2, (left + right) / 2


def to_svg(picture: Pixels, glances: Sequence[Glance], *, said: str = "", title: str = "") -> str:
    """Draw the picture with the way of the eye, and behind it what was seen, a column a glimpse.

    A square is what the sharpest scale saw; coarser scales are dashed. The line joins the middles.
    """
    _check("gaze.to_svg", picture, glances)
    height, width = picture.shape[:2]
    zoom = _SIDE / max(height, width)
    above, left = (44.0 if title else 16.0), 20.0
    body = [svg.text(left, 30, title, kind="title")] if title else []
    body.append(_image(picture, left, above, width * zoom, height * zoom))
    body += [_step(n, _squares(n, one, left, above, zoom)) for n, one in enumerate(glances)]
    body.append(_way(glances, left, above, zoom))
    first = left + width * zoom + 24
    for n, one in enumerate(glances):
        x = first + n * (_PATCH + _GAP)
        column = [svg.text(x + _PATCH / 2, above + 10, str(n + 1), anchor="middle", kind="small")]
        for k, patch in enumerate(one.patches):
            column.append(_image(patch, x, above + 16 + k * (_PATCH + _GAP), _PATCH, _PATCH))
        body.append(_step(n, "".join(column)))
    n_scales = max(len(one.patches) for one in glances)
    bottom = above + max(height * zoom, 16 + n_scales * (_PATCH + _GAP))
    if said:
        body.append(svg.text(left, bottom + 20, said))
    wide = first + len(glances) * (_PATCH + _GAP) + 10
    return svg.document(
        max(wide, svg.pixels(title) * 1.2 + 40),
        bottom + 34,
        "".join(body),
        name=title or f"the way of the eye in {len(glances)} glimpses",
    )


def to_terminal(
    picture: Pixels, glances: Sequence[Glance], *, said: str = "", width: int = 100
) -> str:
    """Draw the picture in shades, with the number of each glimpse where it was taken.

    Of two glimpses at one place the later is seen. Bright pixels are dark on the page.
    """
    axes.check_width("gaze.to_terminal", width)
    _check("gaze.to_terminal", picture, glances)
    block = max(1, -(-picture.shape[1] * 2 // min(width, 80)))
    small = averaged(picture, block).mean(axis=2)  # [h, w]
    inks = np.rint(small / 255 * (len(_SHADES) - 1)).astype(int)
    rows = [[_SHADES[ink] * 2 for ink in row] for row in inks.tolist()]
    for n, one in enumerate(glances):
        down, across = (int(place // block) for place in one.middle)
        y, x = min(max(down, 0), len(rows) - 1), min(max(across, 0), len(rows[0]) - 1)
        mark = _MARKS[min(n, len(_MARKS) - 1)]
        rows[y][x] = mark + rows[y][x][-1]
    lines = ["".join(row).rstrip() for row in rows]
    places = "  ".join(
        f"{_MARKS[min(n, len(_MARKS) - 1)]} ({one.middle[0]:.0f}, {one.middle[1]:.0f})"
        for n, one in enumerate(glances)
    )
    return (
        "\n".join([*lines, "", f"glimpses (down, across): {places}", *([said] if said else [])])
        + "\n"
    )


def seen(numbers: npt.NDArray[np.generic]) -> Pixels:
    """Turn a patch `[C, g, g]` between 0 and 1 into pixels `[g, g, 3]`; one channel is grey."""
    pixels = np.rint(np.moveaxis(numbers, 0, -1).astype(np.float64).clip(0, 1) * 255)
    return np.broadcast_to(pixels.astype(np.uint8), (*pixels.shape[:2], 3))


def _check(where: str, picture: Pixels, glances: Sequence[Glance]) -> None:
    if picture.ndim != 3 or picture.shape[2] != 3 or not picture.size or not glances:
        raise ShapeError(
            f"{where}: a picture {list(picture.shape)} and {len(glances)} glimpses; expected"
            " [H, W, 3] and at least one. Pass red, green and blue of every pixel."
        )


def _image(pixels: Pixels, x: float, y: float, width: float, height: float) -> str:
    whole = np.ascontiguousarray(pixels)
    return (
        f'<image href="{to_text(Picture(whole))}" x="{svg.number(x)}" y="{svg.number(y)}"'
        f' width="{svg.number(width)}" height="{svg.number(height)}"'
        ' preserveAspectRatio="none" style="image-rendering:pixelated"/>'
    )


def _squares(number: int, one: Glance, left: float, above: float, zoom: float) -> str:
    drawn = []
    for k, (top, first, bottom, right) in enumerate(one.boxes):
        dash = ' stroke-dasharray="3 4" stroke-opacity="0.5"' if k else ""
        tip = svg.tip(f"glimpse {number + 1}, scale {k + 1}: rows {top:.0f} to {bottom:.0f}")
        drawn.append(
            f'<rect class="line s1" fill="none"{dash} x="{svg.number(left + first * zoom)}"'
            f' y="{svg.number(above + top * zoom)}" width="{svg.number((right - first) * zoom)}"'
            f' height="{svg.number((bottom - top) * zoom)}">{tip}</rect>'
        )
    return "".join(drawn)


def _way(glances: Sequence[Glance], left: float, above: float, zoom: float) -> str:
    places = [(left + x * zoom, above + y * zoom) for y, x in (one.middle for one in glances)]
    points = [f"{svg.number(x)} {svg.number(y)}" for x, y in places]
    steps = [
        _step(n, f'<path class="line s1" d="M{points[n - 1]} L{points[n]}"/>')
        for n in range(1, len(points))
    ]
    numbers = [
        f'<circle class="f1" cx="{svg.number(x)}" cy="{svg.number(y)}" r="8"/>'
        + f'<text x="{svg.number(x)}" y="{svg.number(y + 4)}" text-anchor="middle"'
        f' font-size="11" fill="#fff">{n + 1}</text>'
        for n, (x, y) in enumerate(places)
    ]
    return "".join(steps) + "".join(_step(n, one) for n, one in enumerate(numbers))


def _step(number: int, drawn: str) -> str:
    """Mark what belongs to a glimpse, so that a page can show one after the other."""
    return f'<g data-step="{number + 1}">{drawn}</g>'
