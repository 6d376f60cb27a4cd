"""What a model wrote with a pen, and the window that moved along the letters while it wrote."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.modalities._strokes import Strokes, as_strokes
from saccade.views import svg
from saccade.views.drawing import AttentionMap, Drawing, colourless
from saccade.views.heatmap import SHADES
from saccade.views.pen import FittedStrokes, dots, inked, owners_of
from saccade.views.weights import share, top_of
from saccade.views.words import clean, label, pad, shorten

_EDGE = 20.0  # pixels around all
_GAP = 24.0  # between two things
_ROW = 16.0  # pixels of a letter in the map
_TITLE = 24.0
_NARROWEST = 320.0  # pixels of the map
_LEAST = 0.02  # of the largest weight, that is drawn
_MARGIN = 4  # columns of a letter in a terminal


def draw(source: Any, output: Any, truth: Any = None, seen: AttentionMap | None = None) -> Drawing:
    """Draw strokes; with a map, in the colours of the letters that the window was on.

    Args:
        source: the text.
        output: what was written for it.
        truth: what somebody else wrote for it, if that is known.
        seen: where the model looked while it wrote.
    """
    strokes = as_strokes(output)
    other = None if truth is None else as_strokes(truth)
    title = f"Handwriting: {clean(str(source))}"
    return Drawing(
        "Handwriting",
        lambda: to_svg(strokes, seen, other, title=shorten(title, 80)),
        colourless(lambda width: to_terminal(strokes, seen, width=width)),
        said=title,
    )


def to_svg(
    strokes: Strokes,
    seen: AttentionMap | None = None,
    truth: Strokes | None = None,
    *,
    title: str = "Handwriting",
) -> str:
    """Draw the strokes and below them the window: a row for each letter, time to the right."""
    weights, letters = window_of(seen, strokes)
    fitted, y = FittedStrokes(strokes), _EDGE + _TITLE
    body = [svg.text(_EDGE, _EDGE + 8, title, kind="title")]
    body.append(inked(fitted, _EDGE, y, owners_of(weights) if len(letters) else ()))
    y, wide = y + fitted.height + _GAP, fitted.width
    if truth is not None:
        real = FittedStrokes(truth)
        body.append(svg.text(_EDGE, y, "in the data", kind="small"))
        body.append(inked(real, _EDGE, y + 8, [-1] * (len(truth) - 1)))
        y, wide = y + 8 + real.height + _GAP, max(wide, real.width)
    if len(letters):
        across = max(fitted.width - 2 * _EDGE, _NARROWEST)
        body.append(_map(weights, letters, (_EDGE, y, across)))
        y, wide = y + 16 + _ROW * len(letters) + _GAP, max(wide, across + 2 * _EDGE)
    wide = max(wide, svg.pixels(title) * 1.2)
    return svg.document(wide + 2 * _EDGE, y + 4, "".join(body), name=title)


def to_terminal(strokes: Strokes, seen: AttentionMap | None = None, *, width: int = 100) -> str:
    """Draw the strokes in dots and the window in shades, a line for each letter."""
    lines = dots(strokes, max(width, 1))
    weights, letters = window_of(seen, strokes)
    room = width - _MARGIN - 1
    if len(letters) and room > 0:
        lines.append("")
        n = min(len(weights), room)
        groups = np.array_split(weights, n)
        most = np.stack([group.max(axis=0) for group in groups], axis=1)  # [S, n]
        top = top_of(weights)
        for letter, row in zip(letters, most, strict=True):
            name = pad(shorten(letter, _MARGIN), _MARGIN, right=True)
            lines.append(f"{name} {''.join(_shade(float(w), top) for w in row)}".rstrip())
    return "\n".join(lines) + "\n"


def window_of(
    seen: AttentionMap | None, strokes: Strokes
) -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    """Return weights `[T, S]` of the points but the first, and the letters; nothing if unknown.

    A dot is a point that stands twice though the pen moved there once: so do its weights.
    """
    if seen is not None:
        weights = np.nan_to_num(np.asarray(seen.weights, dtype=np.float64))
        if weights.shape == (len(seen.target), len(seen.source)):
            weights = weights.repeat(_times(seen.target), axis=0)
        if weights.shape == (len(strokes) - 1, len(seen.source)):
            return weights, tuple(label(word) for word in seen.source)
    return np.zeros((len(strokes) - 1, 0)), ()


def _times(moves: Sequence[str]) -> list[int]:
    """Return how many points each move made, by its label, which tells where the pen is lifted."""
    lifted = [t == len(moves) - 1 or "↑" in one for t, one in enumerate(moves)]
    return [2 if t and lifted[t - 1] and lifted[t] else 1 for t in range(len(moves))]


def _map(
    weights: npt.NDArray[np.float64],
    letters: Sequence[str],
    place: tuple[float, float, float],
) -> str:
    """Draw the weights, time to the right, with left, top and width given."""
    left, top, across = place
    margin = max(svg.pixels(letter) for letter in letters) + 8
    cell, most = across / max(len(weights), 1), top_of(weights)
    body = [svg.text(left, top, "window on the letters, point by point", kind="small")]
    for s, letter in enumerate(letters):
        y = top + 16 + s * _ROW
        body.append(svg.text(left + margin - 6, y + 12, letter, anchor="end"))
        for t, weight in enumerate(weights[:, s].tolist()):
            part = share(weight, most)
            if part > _LEAST:
                body.append(
                    f'<rect class="hue" x="{svg.number(left + margin + t * cell)}"'
                    f' y="{svg.number(y)}" width="{svg.number(cell)}" height="{svg.number(_ROW)}"'
                    f' fill-opacity="{part:.2f}"/>'
                )
    return "".join(body)


def _shade(weight: float, top: float) -> str:
    return SHADES[min(int(share(weight, top) * len(SHADES)), len(SHADES) - 1)][0]
