"""Where a model looked in a picture: the picture once for every word, lit where the weight lies."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from saccade.modalities import _png
from saccade.modalities._photo import LARGEST
from saccade.modalities._picture import Picture, as_picture, to_text
from saccade.views import axes, picture_line, picture_terminal, svg
from saccade.views.cells import Box
from saccade.views.drawing import AttentionMap, Drawing, colourless, stacked
from saccade.views.picture_look import VEIL, PictureLook, Pixels, averaged, look_at
from saccade.views.weights import Weights, placed, share, spoken
from saccade.views.words import label, sentence, shorten

_TILE = 126.0  # pixels that a picture aims at
_NARROW = 118.0  # pixels that what stands below a picture needs
_GAP = 14.0
_ACROSS = 6  # tiles in a row of an SVG document
_SHARP = 256  # pixels each way of a picture in a document, at most
_POINTS = 64  # pixels each way of a smooth veil, at most


def draw(one: AttentionMap) -> Drawing:
    """Draw attention over a picture; words that name one of its regions are given its box."""
    picture, words = as_picture(one.raw, most=LARGEST), one.target
    weights = np.asarray(one.weights).reshape(len(words), *one.grid)  # [T, H', W']
    if picture_line.is_line(picture.pixels, one.grid):
        line = (picture.pixels, weights, words)
        return Drawing(
            "Attention",
            lambda: picture_line.to_svg(*line, title=one.title),
            colourless(lambda width: picture_line.to_terminal(*line, width=width)),
            said=one.said,
        )
    boxes = picture.boxes(tuple(label(word) for word in words))
    smoothly = one.smoothly
    return Drawing(
        "Attention",
        lambda: to_svg(
            picture.pixels, weights, words, boxes=boxes, title=one.title, smoothly=smoothly
        ),
        lambda width, *, colour: to_terminal(
            picture.pixels,
            weights,
            words,
            boxes=boxes,
            colour=colour,
            width=width,
            smoothly=smoothly,
        ),
        said=one.said,
    )


def draw_several(maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps over a picture, a strip each: those of hard attention, or every head."""
    strips = {name: draw(replace(one, title="")) for name, one in maps.items()}
    return stacked("Attention maps", strips, said=next(iter(maps.values())).said)


def to_svg(
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    *,
    boxes: Mapping[int, Box] | None = None,
    title: str = "",
    smoothly: bool = True,
) -> str:
    """Draw the picture, then once more for every word under a veil that weight makes clear.

        opacity of the veil = 0.85 (1 - weight / top)

    `top` is one for all words and stands below. That is how the cells of a grid are drawn; a
    tooltip tells the weight of each, and one that is not finite is dashed. Smooth weights are those
    of `cells.smooth`, each word on a scale of its own, drawn as `PictureLook.overlay` says. Below a
    word stand the entropy of its weights and the share of the five heaviest cells. The box of what
    a word names is outlined, with the share of the weight inside it.

    Args:
        picture: `[H, W, 3]`.
        weights: `[T, H', W']`, over a grid of equal cells from the upper left corner on.
        words: T of them.
        boxes: what a word names, by the word's place.
        title: stands above all.
        smoothly: without edges between the cells.
    """
    looked = look_at("picture.to_svg", picture, weights, words, boxes, smoothly=smoothly)
    height, width = picture.shape[:2]
    zoom = _zoom(width, height)
    below = 34.0 if looked.boxes else 20.0
    across, down = max(width * zoom, _NARROW) + _GAP, height * zoom + 20 + below + _GAP
    above = 44.0 if title else 10.0
    tiles = [_plain(looked, zoom), *(_tile(looked, i, zoom) for i in range(len(words)))]
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, tile in enumerate(tiles):
        row, column = divmod(i, _ACROSS)
        place = f"{svg.number(20 + column * across)} {svg.number(above + row * down)}"
        body.append(f'<g transform="translate({place})">{tile}</g>')
    bottom = above + -(-len(tiles) // _ACROSS) * down
    body.append(_scale(20, bottom, looked))
    lines = looked.legend if words else ()
    body += [svg.text(20, bottom + 28 + 15 * i, line, kind="small") for i, line in enumerate(lines)]
    wide = max(26 + min(len(tiles), _ACROSS) * across, 300.0, svg.pixels(title) * 1.2 + 40)
    name = title or f"where the model looked for {sentence(words)}"
    return svg.document(wide, bottom + 26 + 15 * len(lines), "".join(body), name=name)


def to_terminal(
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    *,
    boxes: Mapping[int, Box] | None = None,
    colour: bool,
    width: int = 100,
    smoothly: bool = True,
) -> str:
    """Draw the picture once for every word, dark where there is no weight.

    With colour two pixels share a character. Without, every cell of the grid is one of
    `.:-=+*#%@`, more ink for more weight, and `[` `]` stand around the cells of the box; a weight
    that is not finite is `?`.
    """
    axes.check_width("picture.to_terminal", width)
    where = "picture.to_terminal"
    looked = look_at(where, picture, weights, words, boxes, smoothly=smoothly and colour)
    return picture_terminal.tiles(looked, colour=colour, width=width)


def _zoom(width: int, height: int) -> float:
    """Return how large a pixel is drawn: whole numbers, so that cells end at whole ones too."""
    zoom = _TILE / max(width, height)
    return float(int(zoom)) if zoom >= 1 else zoom


def _plain(looked: PictureLook, zoom: float) -> str:
    """Draw the picture as it is; all others refer to this one."""
    block = -(-max(looked.picture.shape[:2]) // _SHARP)
    shown = averaged(looked.picture, block) if block > 1 else looked.picture
    still = ' style="image-rendering:pixelated"' if zoom >= 1 else ""
    image = (
        f'<image id="{_name(looked)}" href="{to_text(Picture(shown))}" {_size(looked, zoom)}{still}'
        ' preserveAspectRatio="none"/>'
    )
    return f'<g transform="translate(0 20)">{image}{_frame(looked, zoom)}</g>'


def _tile(looked: PictureLook, word: int, zoom: float) -> str:
    """Draw the picture under a veil, its word above and what is known of its weight below."""
    height, width = looked.picture.shape[:2]
    shown = shorten(label(looked.words[word]), int(max(width * zoom, _NARROW) / svg.COLUMN))
    veil = _smooth_veil(looked, word, zoom) if looked.smoothly else _veil(looked, word, zoom)
    box = _outline(looked.boxes[word], zoom) if word in looked.boxes else ""
    again = f'<use href="#{_name(looked)}"/>'
    under = 20 + height * zoom + 14
    return (
        svg.text(0, 14, shown)
        + f'<g transform="translate(0 20)">{again}{veil}{_frame(looked, zoom)}{box}</g>'
        + svg.text(0, under, looked.spread(word), kind="small")
        + (svg.text(0, under + 14, looked.inside(word), kind="small") if box else "")
    )


def _name(looked: PictureLook) -> str:
    """Name the picture of a document by what it shows, as several documents may share a page."""
    found = looked.picture
    digest = hashlib.blake2b(np.ascontiguousarray(found).tobytes(), digest_size=8).hexdigest()
    return f"picture-{found.shape[0]}-{found.shape[1]}-{digest}"


def _size(looked: PictureLook, zoom: float) -> str:
    height, width = looked.picture.shape[:2]
    return f'width="{svg.number(width * zoom)}" height="{svg.number(height * zoom)}"'


def _frame(looked: PictureLook, zoom: float) -> str:
    return f'<rect class="rule" fill="none" {_size(looked, zoom)}/>'


def _smooth_veil(looked: PictureLook, word: int, zoom: float) -> str:
    """Draw a veil without edges: a small picture of its opacity, which a browser enlarges."""
    height, width = looked.picture.shape[:2]
    rows, columns = looked.weights.shape[1:]
    shape = (min(8 * rows, height, _POINTS), min(8 * columns, width, _POINTS))
    veil = np.rint(255 * looked.overlay(word, shape)).astype(np.uint8)  # [h, w, 2]
    uri = f"data:image/png;base64,{b64encode(_png.encode(veil)).decode('ascii')}"
    row = f'data-row="{word}"'
    tip = svg.tip(f"{label(looked.words[word])}: {looked.spread(word)}")
    return (
        f'<image class="veil" {row} href="{uri}" {_size(looked, zoom)} preserveAspectRatio="none">'
        f"{tip}</image>"
    )


def _veil(looked: PictureLook, word: int, zoom: float) -> str:
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
        drawn.append(f"<rect {_cell_look(float(weight), looked.top)} {data} {place}>{tip}</rect>")
    return f'<g shape-rendering="crispEdges">{"".join(drawn)}</g>'


def _cell_look(weight: float, top: float) -> str:
    if not np.isfinite(weight):
        return 'class="void"'
    return f'class="paper" fill-opacity="{svg.number(VEIL * (1 - share(weight, top)))}"'


def _outline(box: Box, zoom: float) -> str:
    left, top, right, bottom = (edge * zoom for edge in box)
    return (
        f'<rect class="s1" fill="none" stroke-width="1.5" x="{svg.number(left)}"'
        f' y="{svg.number(top)}" width="{svg.number(right - left)}"'
        f' height="{svg.number(bottom - top)}"/>'
    )


def _scale(x: float, y: float, looked: PictureLook) -> str:
    """Draw what weights from 0 to the end of the scale make of one colour."""
    drawn = []
    for i, grey in enumerate(looked.greys()):
        place = f'x="{svg.number(x + 14 + i * 11)}" y="{svg.number(y)}" width="10" height="10"'
        if looked.smoothly:
            drawn.append(f'<rect fill="#{grey:02x}{grey:02x}{grey:02x}" {place}/>')
        else:
            veil = svg.number(VEIL * (1 - i / 9))
            drawn.append(f'<rect class="hue" {place}/><rect class="paper" {place}')
            drawn.append(f' fill-opacity="{veil}"/>')
    ends = svg.text(x, y + 9, "0", kind="small")
    return "".join(drawn) + ends + svg.text(x + 130, y + 9, looked.end, kind="small")
