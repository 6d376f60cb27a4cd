"""Where a model looked in a picture, in a terminal: in colour two pixels a character, else ink."""

import numpy as np
import numpy.typing as npt

from saccade.views.cells import covered
from saccade.views.picture_look import PictureLook, Pixels, averaged
from saccade.views.weights import share
from saccade.views.words import clean, label, pad, shorten

ASCII = ".:-=+*#%@"

_COLUMNS = 20  # of a tile in colour, at most
_NARROW = 20  # columns that what stands below a tile needs


def tiles(looked: PictureLook, *, colour: bool, width: int) -> str:
    """Draw the picture once for every word, as many side by side as there is room for."""
    drawn = [
        [
            label(word),
            *(_lit(looked, i) if colour else _inked(looked, i, width)),
            looked.spread(i),
            *([looked.inside(i)] if looked.boxes else []),
        ]
        for i, word in enumerate(looked.words)
    ]
    room = min(max(_columns(looked, colour=colour, width=width), _NARROW), width)
    per_row = max((width + 2) // (room + 2), 1)
    bands = []
    for start in range(0, len(drawn), per_row):
        band = drawn[start : start + per_row]
        rows = [[_filled(line, room) for line in row] for row in zip(*band, strict=True)]
        bands.append("\n".join("  ".join(row).rstrip() for row in rows))
    shades = _greys(looked) if colour else ASCII
    end = shorten(looked.end, width - 13)
    legend = [f"0 {shades} {end}", *(shorten(one, width) for one in looked.legend)]
    return "\n\n".join([*bands, "\n".join(legend)]) + "\n"


def _columns(looked: PictureLook, *, colour: bool, width: int) -> int:
    """Return how many columns of a terminal a tile takes."""
    if colour:
        return -(-int(looked.picture.shape[1]) // _block(looked.picture))
    return min(2 * int(looked.weights.shape[2]) + 1, width)


def _block(picture: Pixels) -> int:
    """Return the side of the square of pixels that is one dot in a terminal."""
    return -(-int(max(picture.shape[:2])) // _COLUMNS)


def _lit(looked: PictureLook, word: int) -> list[str]:
    """Draw a tile in colour: the upper dot of a character is its ink, the lower its ground."""
    height, width = looked.picture.shape[:2]
    grey, opacity = np.split(looked.overlay(word, (height, width)), 2, axis=2)  # 2 x [H, W, 1]
    shown = looked.picture * (1 - opacity) + 255 * grey * opacity
    dots = averaged(shown, _block(looked.picture))  # [h, w, 3]
    if len(dots) % 2:
        dots = np.concatenate([dots, np.zeros_like(dots[:1])])
    pairs = zip(dots[::2].tolist(), dots[1::2].tolist(), strict=True)
    return ["".join(map(_dot, *pair)) + "\x1b[0m" for pair in pairs]


def _dot(upper: list[int], lower: list[int]) -> str:
    ink, ground = ";".join(map(str, upper)), ";".join(map(str, lower))
    return f"\x1b[38;2;{ink};48;2;{ground}m▀"


def _greys(looked: PictureLook) -> str:
    """Return what is made of grey, from no weight to the most."""
    return "".join(f"\x1b[48;2;{v};{v};{v}m " for v in looked.greys()) + "\x1b[0m"


def _inked(looked: PictureLook, word: int, width: int) -> list[str]:
    """Draw a tile in plain characters, a cell each, with brackets around the box."""
    grid = looked.weights[word][:, : (width - 1) // 2]
    boxed = np.zeros(grid.shape, dtype=bool)
    if word in looked.boxes:
        left, top, right, bottom = looked.boxes[word]
        (down, across), (height, wide) = looked.cell, looked.picture.shape[:2]
        rows = covered(grid.shape[0], down, height, top, bottom) > 0
        columns = covered(grid.shape[1], across, wide, left, right) > 0
        boxed = rows[:, None] & columns
    return [_ascii_row(*row, looked.top) for row in zip(grid, boxed, strict=True)]


def _ascii_row(weights: npt.NDArray[np.float64], boxed: npt.NDArray[np.bool_], top: float) -> str:
    edges = np.diff(np.concatenate([[False], boxed, [False]]).astype(int))  # [W' + 1]
    marks = [" []"[edge] for edge in edges.tolist()]
    inks = [_ink(weight, top) for weight in weights.tolist()]
    return "".join(mark + ink for mark, ink in zip(marks, [*inks, ""], strict=True))


def _ink(weight: float, top: float) -> str:
    return ASCII[round(share(weight, top) * (len(ASCII) - 1))] if np.isfinite(weight) else "?"


def _filled(line: str, room: int) -> str:
    """Fill a line of a tile up to its room; one with colours has the width of its dots."""
    if "\x1b" not in line:
        return pad(clean(line), room)
    return line + " " * (room - line.count("▀"))
