"""Where a model looked in strokes of a pen: every point in the colour of what was read there."""

from collections.abc import Mapping

import numpy as np

from saccade.modalities._strokes import Strokes, as_strokes
from saccade.views import svg
from saccade.views.drawing import AttentionMap, Drawing, colourless, stacked
from saccade.views.pen import FittedStrokes, dots, inked
from saccade.views.words import clean, label, sentence

_EDGE = 20.0
_SMALLEST = 0.25  # of the largest weight of a word, that gives a point its colour


def draw(one: AttentionMap) -> Drawing:
    """Draw attention over strokes; points where nothing was read are pale."""
    strokes = as_strokes(one.raw)
    owners, middles = _read_where(np.asarray(one.weights, dtype=np.float64), strokes)
    words = tuple(label(word) for word in one.target)
    return Drawing(
        "Attention",
        lambda: to_svg(strokes, owners, middles, words, title=one.title),
        colourless(lambda width: to_terminal(strokes, words, width=width)),
        said=one.said if "<svg" not in one.said else "",
    )


def draw_several(maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps one below the other."""
    return stacked("Heads", {name: draw(one) for name, one in maps.items()})


def to_svg(
    strokes: Strokes,
    owners: list[int],
    middles: list[int],
    words: tuple[str, ...],
    *,
    title: str = "Attention",
) -> str:
    """Draw the strokes, and each word below the middle of the points where it was read.

    Args:
        strokes: what was read.
        owners: of every point but the first, the number of the word, or -1.
        middles: the point below which each word stands; -1 if it stands nowhere.
        words: what was written.
        title: what stands above.
    """
    fitted, top = FittedStrokes(strokes), 2 * _EDGE + 8
    body = [svg.text(_EDGE, _EDGE + 8, title, kind="title"), inked(fitted, _EDGE, top, owners)]
    below = top + fitted.height + 22
    for n, (word, middle) in enumerate(zip(words, middles, strict=True)):
        if middle >= 0:
            x = _EDGE + float(fitted.points[middle, 0])
            name = svg.text(x, below, word, anchor="middle")
            body.append(name.replace("<text ", f'<text class="f{n % svg.N_COLOURS}" ', 1))
    wide = max(fitted.width, svg.pixels(title) * 1.2) + 2 * _EDGE
    return svg.document(wide, below + _EDGE, "".join(body), name=f"{title}: {sentence(words)}")


def to_terminal(strokes: Strokes, words: tuple[str, ...], *, width: int = 100) -> str:
    """Draw the strokes in dots, and below them what was read."""
    return "\n".join([*dots(strokes, max(width, 1)), clean(sentence(words))]) + "\n"


def _read_where(
    weights: "np.typing.NDArray[np.float64]", strokes: Strokes
) -> tuple[list[int], list[int]]:
    """Return the word of every point but the first, and the middle point of every word."""
    n = len(strokes) - 1
    if weights.ndim != 2 or weights.shape[1] != n or not weights.size:
        return [-1] * n, [-1] * len(weights)
    found = np.nan_to_num(weights)
    parts = found / np.maximum(found.max(axis=1, keepdims=True), 1e-12)  # [T, S]
    owners = np.where(parts.max(axis=0) >= _SMALLEST, parts.argmax(axis=0), -1)
    middles = [int(row.argmax()) + 1 if row.max() > 0 else -1 for row in found]
    return owners.tolist(), middles
