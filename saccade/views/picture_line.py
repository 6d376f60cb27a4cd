"""Where a model looked in a line of print: the line, and below it a row for every letter.

The columns of the map stand below the columns of the line, so the eye can go up from a weight to
what was seen. Above the line each letter stands over the middle of its weight.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.modalities._picture import Picture, to_text
from saccade.views import axes, svg
from saccade.views.picture_look import PictureLook, Pixels, look_at
from saccade.views.weights import Weights, placed, share, spoken
from saccade.views.words import label, pad, sentence, shorten

_WIDE = 4  # times as wide as high: a line, if the weights lie side by side
_AIM, _NARROWEST, _ROW = 900.0, 8.0, 13.0  # pixels: of the line, of a letter, of a row
_MARGIN = 44.0
_FAINT = 0.02  # share of the scale from which a cell is drawn
_SHADES = " ·░▒▓█"


def is_line(picture: Pixels, grid: Sequence[int]) -> bool:
    """Tell whether weights lie along a picture that is a line."""
    height, width = picture.shape[:2]
    return len(grid) == 2 and grid[0] == 1 and width >= _WIDE * height


def to_svg(picture: Pixels, weights: Weights, words: Sequence[str], *, title: str = "") -> str:
    """Draw the line with the letters above it, and the map of `weights [T, 1, W']` below.

    A cell is the darker the more weight it has; a tooltip tells how much. Cells with next to
    nothing are not drawn.
    """
    looked = look_at("picture_line.to_svg", picture, weights, words, smoothly=False)
    height, width = picture.shape[:2]
    zoom = _zoom(looked)
    above = 44.0 if title else 16.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, middle in enumerate(middles(looked)):
        if np.isfinite(middle):
            x = _MARGIN + middle * zoom
            body.append(svg.text(x, above + 10, label(words[i]), anchor="middle", kind="small"))
    top = above + 16
    body.append(
        f'<image href="{to_text(Picture(picture))}" x="{svg.number(_MARGIN)}"'
        f' y="{svg.number(top)}" width="{svg.number(width * zoom)}"'
        f' height="{svg.number(height * zoom)}" preserveAspectRatio="none"/>'
    )
    first = top + height * zoom + 8
    body += [_row(looked, i, first + _ROW * i, zoom) for i in range(len(words))]
    bottom = first + _ROW * len(words)
    end = f"darkest: a weight of {looked.end}"
    body.append(svg.text(_MARGIN, bottom + 18, end, kind="small"))
    wide = max(_MARGIN + width * zoom + 20, 300.0, svg.pixels(title) * 1.2 + 40)
    name = title or f"where the model looked for {sentence(words)}"
    return svg.document(wide, bottom + 30, "".join(body), name=name)


def to_terminal(picture: Pixels, weights: Weights, words: Sequence[str], *, width: int) -> str:
    """Draw a row for every letter, as wide as the terminal; more ink for more weight."""
    axes.check_width("picture_line.to_terminal", width)
    looked = look_at("picture_line.to_terminal", picture, weights, words, smoothly=False)
    n_places = looked.weights.shape[2]
    heads = [label(word) for word in words]
    margin = axes.margin_of(heads, width)
    room = min(width - margin - 1, n_places)
    edges = np.arange(room) * n_places // room
    lines = []
    for head, row in zip(heads, _finite(looked)[:, 0], strict=True):
        most = np.maximum.reduceat(row, edges)  # [room]
        inks = (_SHADES[round(share(float(w), looked.top) * (len(_SHADES) - 1))] for w in most)
        lines.append(f"{pad(shorten(head, margin), margin, right=True)} {''.join(inks)}".rstrip())
    return "\n".join([*lines, f"0 {_SHADES.strip()} {looked.end}"]) + "\n"


def middles(looked: PictureLook) -> npt.NDArray[np.float64]:
    """Return the middle of every letter's weight in pixels from the left, `[T]`; NaN if none."""
    weights = _finite(looked)[:, 0]  # [T, W']
    centres = (np.arange(weights.shape[1]) + 0.5) * looked.cell[1]
    total = weights.sum(axis=1)
    found = np.full(len(weights), np.nan)
    np.divide(weights @ centres, total, out=found, where=total > 0)
    return found


def _finite(looked: PictureLook) -> npt.NDArray[np.float64]:
    return np.where(np.isfinite(looked.weights), looked.weights, 0.0).clip(min=0.0)


def _zoom(looked: PictureLook) -> float:
    """Return how large a pixel is drawn: the line fills the aim, and letters have room."""
    width = int(looked.picture.shape[1])
    return max(_AIM / width, _NARROWEST * len(looked.words) / width)


def _row(looked: PictureLook, word: int, y: float, zoom: float) -> str:
    across, width = looked.cell[1], looked.picture.shape[1]
    name = label(looked.words[word])
    shown = shorten(name, int((_MARGIN - 8) / svg.COLUMN))
    drawn = [svg.text(_MARGIN - 6, y + 10, shown, anchor="end", kind="small")]
    for j, weight in enumerate(looked.weights[word, 0].tolist()):
        dark = share(weight, looked.top)
        wide = min(across, width - j * across)
        if dark < _FAINT or wide <= 0:
            continue
        place = (
            f'x="{svg.number(_MARGIN + j * across * zoom)}" y="{svg.number(y)}"'
            f' width="{svg.number(wide * zoom)}" height="{svg.number(_ROW - 2)}"'
        )
        look = f'class="hue" fill-opacity="{svg.number(dark)}" {placed(word, j, weight)}'
        drawn.append(f"<rect {look} {place}>{svg.tip(f'{name}: {spoken(weight)}')}</rect>")
    return "".join(drawn)
