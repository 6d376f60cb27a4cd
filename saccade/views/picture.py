"""Where a model looked in a picture: the picture once for every word, lit where the weight lies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.modalities._picture import Picture, as_picture, to_text
from saccade.views import axes, svg
from saccade.views.drawing import AttentionMap, Drawing
from saccade.views.weights import Weights, placed, share, spoken
from saccade.views.words import clean, label, pad, sentence, shorten

Pixels = npt.NDArray[np.uint8]  # [H, W, 3]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels; right and bottom are the first outside."""

ASCII = ".:-=+*#%@"

_TILE = 126.0  # pixels that a picture aims at
_GAP = 14.0
_ACROSS = 6  # tiles in a row of an SVG document
_VEIL = 0.85  # opacity where there is no weight
_COLUMNS = 20  # of a tile in a terminal, at most


@dataclass(frozen=True, slots=True)
class _Looked:
    """A picture with the weights `[T, H', W']` of its words, checked; `top` gets the full light."""

    picture: Pixels
    weights: npt.NDArray[np.float64]
    words: tuple[str, ...]
    boxes: Mapping[int, Box]
    top: float

    @property
    def cell(self) -> tuple[int, int]:
        """Pixels of a cell, down and across."""
        return _cell(self.weights.shape[1:], self.picture.shape)

    def note(self, word: int) -> str:
        """Tell how much of a word's weight lies in its box, or nothing if it has none."""
        if word not in self.boxes:
            return ""
        inside = share_in_box(self.weights[word], self.boxes[word], self.picture.shape)
        return f"{inside:.0%} in its box"


def draw(one: AttentionMap) -> Drawing:
    """Draw attention over a picture; words that name one of its regions are given its box."""
    picture, words = as_picture(one.raw), one.target
    weights = np.asarray(one.weights).reshape(len(words), *one.grid)  # [T, H', W']
    boxes = picture.boxes(tuple(label(word) for word in words))
    return Drawing(
        "Attention",
        lambda: to_svg(picture.pixels, weights, words, boxes=boxes, title=one.title),
        lambda width, *, colour: to_terminal(
            picture.pixels, weights, words, boxes=boxes, colour=colour, width=width
        ),
        said=one.said,
    )


def share_in_box(weights: Weights, box: Box, size: tuple[int, ...]) -> float:
    """Return the share of a word's weight that falls inside a box.

        sum_c w[c] |c in box| / |c|   over   sum_c w[c]

    The weight of a cell lies evenly on its pixels. Cells are of one size from the upper left
    corner on; the last ones may reach beyond the picture and are cut there. Where no weight is
    finite and above zero the share is 0.

    Args:
        weights: `[H', W']`.
        box: left, top, right, bottom in pixels.
        size: height and width of the picture in pixels.

    >>> share_in_box(np.array([[0.75, 0.25]]), (0, 0, 3, 4), (4, 8))
    0.5625
    """
    found = np.asarray(weights, dtype=np.float64)
    left, top, right, bottom = box
    down, across = _cell(found.shape, size)
    rows = _covered(found.shape[0], down, size[0], top, bottom)  # [H']
    columns = _covered(found.shape[1], across, size[1], left, right)  # [W']
    kept = np.where(np.isfinite(found), np.maximum(found, 0.0), 0.0)
    total = float(kept.sum())
    return float(rows @ kept @ columns) / total if total else 0.0


def to_svg(
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    *,
    boxes: Mapping[int, Box] | None = None,
    title: str = "",
) -> str:
    """Draw the picture, then once more for every word under a veil that weight makes clear.

        opacity of the veil = 0.85 (1 - weight / top)

    `top` is one for all words and stands below. A tooltip on every cell tells its weight. The box
    of what a word names is outlined, with the share of the weight inside it. A weight that is not
    finite is a dashed cell.

    Args:
        picture: `[H, W, 3]`.
        weights: `[T, H', W']`, over a grid of equal cells from the upper left corner on.
        words: T of them.
        boxes: what a word names, by the word's place.
        title: stands above all.
    """
    looked = _checked("picture.to_svg", picture, weights, words, boxes)
    height, width = picture.shape[:2]
    zoom = _zoom(width, height)
    across, down = width * zoom + _GAP, height * zoom + 40 + _GAP
    above = 44.0 if title else 10.0
    uri = to_text(Picture(picture))
    tiles = [_tile(looked, None, uri, zoom)]
    tiles += [_tile(looked, i, uri, zoom) for i in range(len(words))]
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, tile in enumerate(tiles):
        row, column = divmod(i, _ACROSS)
        place = f"{svg.number(20 + column * across)} {svg.number(above + row * down)}"
        body.append(f'<g transform="translate({place})">{tile}</g>')
    bottom = above + -(-len(tiles) // _ACROSS) * down
    body.append(_scale(20, bottom, looked.top))
    wide = max(26 + min(len(tiles), _ACROSS) * across, 220.0, svg.pixels(title) * 1.2 + 40)
    name = title or f"where the model looked for {sentence(words)}"
    return svg.document(wide, bottom + 28, "".join(body), name=name)


def to_terminal(
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    *,
    boxes: Mapping[int, Box] | None = None,
    colour: bool,
    width: int = 100,
) -> str:
    """Draw the picture once for every word, dark where there is no weight.

    With colour two pixels share a character. Without, every cell of the grid is one of
    `.:-=+*#%@`, more ink for more weight, and `[` `]` stand around the cells of the box; a weight
    that is not finite is `?`.
    """
    axes.check_width("picture.to_terminal", width)
    looked = _checked("picture.to_terminal", picture, weights, words, boxes)
    tiles = [
        [label(word), *(_lit(looked, i) if colour else _inked(looked, i, width)), looked.note(i)]
        for i, word in enumerate(looked.words)
    ]
    room = min(max(_columns(looked, colour=colour, width=width), 15), width)
    per_row = max((width + 2) // (room + 2), 1)
    bands = []
    for start in range(0, len(tiles), per_row):
        band = tiles[start : start + per_row]
        rows = [[_filled(line, room) for line in row] for row in zip(*band, strict=True)]
        bands.append("\n".join("  ".join(row).rstrip() for row in rows))
    shades = _greys() if colour else ASCII
    return "\n\n".join([*bands, f"0 {shades} {looked.top:.2f}"]) + "\n"


def _checked(
    where: str,
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    boxes: Mapping[int, Box] | None,
) -> _Looked:
    found = np.asarray(weights, dtype=np.float64)
    if picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise ShapeError(
            f"{where}: the picture has shape {list(picture.shape)}; expected [H, W, 3]. Pass red,"
            " green and blue of every pixel."
        )
    if found.ndim != 3 or len(found) != len(words) or 0 in found.shape[1:]:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(words)} words need"
            f" [{len(words)}, H', W']; pass one grid for each word."
        )
    return _Looked(picture, found, tuple(words), dict(boxes or {}), _top(found))


def _top(weights: npt.NDArray[np.float64]) -> float:
    """Return the weight that lets all light through: the largest, rounded up to tenths.

    Weight is spread over many cells, so a scale that always ends at 1 would leave most in the dark.
    """
    largest = float(np.max(weights, where=np.isfinite(weights), initial=0.0))
    return max(float(np.ceil(largest * 10 - 1e-6)), 1.0) / 10


def _cell(grid: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, int]:
    return -(-size[0] // grid[0]), -(-size[1] // grid[1])


def _covered(n: int, cell: int, size: int, low: float, high: float) -> npt.NDArray[np.float64]:
    """Return which share of each of `n` cells lies between two pixels: `[n]`."""
    begin = np.minimum(np.arange(n) * cell, size)
    end = np.minimum(begin + cell, size)
    inside = np.minimum(end, high) - np.maximum(begin, low)
    return np.asarray(np.maximum(inside, 0.0) / np.maximum(end - begin, 1))


def _zoom(width: int, height: int) -> float:
    """Return how large a pixel is drawn: whole numbers, so that cells end at whole ones too."""
    zoom = _TILE / max(width, height)
    return float(int(zoom)) if zoom >= 1 else zoom


def _tile(looked: _Looked, word: int | None, uri: str, zoom: float) -> str:
    """Draw the picture with its word above and its share below; with no word, as it is."""
    height, width = looked.picture.shape[:2]
    size = f'width="{svg.number(width * zoom)}" height="{svg.number(height * zoom)}"'
    image = f'<image href="{uri}" {size} style="image-rendering:pixelated"/>'
    frame = f'<rect class="rule" fill="none" {size}/>'
    if word is None:
        return f'<g transform="translate(0 20)">{image}{frame}</g>'
    shown = shorten(label(looked.words[word]), int(width * zoom / svg.COLUMN))
    box = _outline(looked.boxes[word], zoom) if word in looked.boxes else ""
    return (
        svg.text(0, 14, shown)
        + f'<g transform="translate(0 20)">{image}{_veil(looked, word, zoom)}{frame}{box}</g>'
        + svg.text(0, 20 + height * zoom + 14, looked.note(word), kind="small")
    )


def _veil(looked: _Looked, word: int, zoom: float) -> str:
    height, width = looked.picture.shape[:2]
    down, across = looked.cell
    name, grid = label(looked.words[word]), looked.weights[word]
    drawn = []
    for (i, j), weight in np.ndenumerate(grid):
        y, x = i * down, j * across
        tall, wide = min(down, height - y), min(across, width - x)
        if tall <= 0 or wide <= 0:
            continue
        place = (
            f'x="{svg.number(x * zoom)}" y="{svg.number(y * zoom)}"'
            f' width="{svg.number(wide * zoom)}" height="{svg.number(tall * zoom)}"'
        )
        data = placed(word, i * grid.shape[1] + j, float(weight))
        tip = svg.tip(f"{name}: {spoken(float(weight))}")
        drawn.append(f"<rect {_look(float(weight), looked.top)} {data} {place}>{tip}</rect>")
    return "".join(drawn)


def _look(weight: float, top: float) -> str:
    if not np.isfinite(weight):
        return 'class="void"'
    return f'class="paper" fill-opacity="{svg.number(_VEIL * (1 - share(weight, top)))}"'


def _outline(box: Box, zoom: float) -> str:
    left, top, right, bottom = (edge * zoom for edge in box)
    return (
        f'<rect class="s1" fill="none" stroke-width="1.5" x="{svg.number(left)}"'
        f' y="{svg.number(top)}" width="{svg.number(right - left)}"'
        f' height="{svg.number(bottom - top)}"/>'
    )


def _scale(x: float, y: float, top: float) -> str:
    """Draw what a weight from 0 to `top` lets through of a dark ground."""
    steps = "".join(
        f'<rect class="hue" x="{svg.number(x + 14 + i * 11)}" y="{svg.number(y)}" width="10"'
        f' height="10"/><rect class="paper" x="{svg.number(x + 14 + i * 11)}" y="{svg.number(y)}"'
        f' width="10" height="10" fill-opacity="{svg.number(_VEIL * (1 - i / 9))}"/>'
        for i in range(10)
    )
    ends = svg.text(x, y + 9, "0", kind="small")
    return steps + ends + svg.text(x + 130, y + 9, f"{top:.2g}", kind="small")


def _columns(looked: _Looked, *, colour: bool, width: int) -> int:
    """Return how many columns of a terminal a tile takes."""
    if colour:
        return -(-int(looked.picture.shape[1]) // _block(looked.picture))
    return min(2 * int(looked.weights.shape[2]) + 1, width)


def _block(picture: Pixels) -> int:
    """Return the side of the square of pixels that is one dot in a terminal."""
    return -(-int(max(picture.shape[:2])) // _COLUMNS)


def _lit(looked: _Looked, word: int) -> list[str]:
    """Draw a tile in colour: the upper dot of a character is its ink, the lower its ground."""
    down, across = looked.cell
    parts = looked.weights[word] / looked.top
    light = np.where(np.isfinite(parts), parts, 0.0).clip(0, 1).repeat(down, 0).repeat(across, 1)
    height, width = looked.picture.shape[:2]
    dark = 1 - _VEIL * (1 - light[:height, :width, None])
    dots = _dots(looked.picture * dark, _block(looked.picture))  # [h, w, 3]
    if len(dots) % 2:
        dots = np.concatenate([dots, np.zeros_like(dots[:1])])
    pairs = zip(dots[::2].tolist(), dots[1::2].tolist(), strict=True)
    return ["".join(map(_dot, *pair)) + "\x1b[0m" for pair in pairs]


def _dots(values: npt.NDArray[np.float64], block: int) -> npt.NDArray[np.uint8]:
    """Average squares of pixels; those at the edges may be smaller."""
    rows = np.arange(0, values.shape[0], block)
    columns = np.arange(0, values.shape[1], block)
    summed = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    counts = np.diff([*rows, values.shape[0]])[:, None] * np.diff([*columns, values.shape[1]])
    return np.asarray(np.rint(summed / counts[:, :, None]), dtype=np.uint8)


def _dot(upper: list[int], lower: list[int]) -> str:
    ink, ground = ";".join(map(str, upper)), ";".join(map(str, lower))
    return f"\x1b[38;2;{ink};48;2;{ground}m▀"


def _greys() -> str:
    """Return what is left of white paper under the veil, from no weight to the most."""
    lights = [round(255 * (1 - _VEIL * (1 - i / 9))) for i in range(10)]
    return "".join(f"\x1b[48;2;{v};{v};{v}m " for v in lights) + "\x1b[0m"


def _inked(looked: _Looked, word: int, width: int) -> list[str]:
    """Draw a tile in plain characters, a cell each, with brackets around the box."""
    grid = looked.weights[word][:, : (width - 1) // 2]
    boxed = np.zeros(grid.shape, dtype=bool)
    if word in looked.boxes:
        left, top, right, bottom = looked.boxes[word]
        (down, across), (height, wide) = looked.cell, looked.picture.shape[:2]
        rows = _covered(grid.shape[0], down, height, top, bottom) > 0
        columns = _covered(grid.shape[1], across, wide, left, right) > 0
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
