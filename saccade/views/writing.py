"""A pen that writes while you look: strokes appear, and the window moves along the letters.

The picture moves by SMIL, without a script. Where nothing moves, as on paper, it shows all strokes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.modalities._strokes import Strokes, as_strokes
from saccade.views import svg
from saccade.views.drawing import AttentionMap, Drawing, colourless
from saccade.views.handwriting import to_terminal, window_of
from saccade.views.pen import FittedStrokes, owners_of, runs
from saccade.views.words import clean, shorten

_PACE = 30.0  # points a second
_SHORTEST, _LONGEST = 1.0, 20.0  # seconds
_FRAMES = 240  # moments of the pen and the window that are kept, at most
_EDGE, _TITLE, _GAP = 20.0, 24.0, 20.0  # pixels
_LETTER, _NARROWEST = 30.0, 16.0  # how high the row of letters is; how wide a letter
_HIDDEN = "1.02"  # of a path of length one, whose first dash is one long and the gap behind it two


def draw(source: Any, output: Any, seen: AttentionMap | None = None) -> Drawing:
    """Draw strokes as they are written.

    Args:
        source: the text.
        output: what was written for it.
        seen: where the model looked meanwhile.
    """
    strokes = as_strokes(output)
    title = f"Writing: {clean(str(source))}"
    return Drawing(
        "Writing",
        lambda: to_svg(strokes, seen, title=shorten(title, 80)),
        colourless(lambda width: to_terminal(strokes, seen, width=width)),
        said=title,
    )


def to_svg(strokes: Strokes, seen: AttentionMap | None = None, *, title: str = "Writing") -> str:
    """Draw the row of letters, lit where the window is, and below it the pen at work."""
    weights, letters = window_of(seen, strokes)
    fitted, y = FittedStrokes(strokes), _EDGE + _TITLE
    n_moves = len(strokes) - 1
    seconds = min(max(n_moves / _PACE, _SHORTEST), _LONGEST)
    body, wide = [svg.text(_EDGE, _EDGE + 8, title, kind="title")], fitted.width
    if letters:
        cell = max(fitted.width / len(letters), _NARROWEST)
        body.append(_letters(weights, letters, (_EDGE, y + _GAP, cell), seconds))
        y, wide = y + _LETTER + 2 * _GAP, max(wide, cell * len(letters))
    body.append(_strokes(fitted, owners_of(weights) if letters else [0] * n_moves, y, seconds))
    body.append(_tip(fitted, y, seconds))
    wide = max(wide, svg.pixels(title) * 1.2) + 2 * _EDGE
    drawn = svg.document(wide, y + fitted.height + _EDGE, "".join(body), name=title)
    return drawn.replace("<svg ", f'<svg data-seconds="{svg.number(seconds)}" ', 1)


def _letters(
    weights: npt.NDArray[np.float64],
    letters: Sequence[str],
    place: tuple[float, float, float],
    seconds: float,
) -> str:
    """Write the letters in a row, on ground that is lit by the weights `[T, S]`."""
    left, top, cell = place
    most, kept = float(weights.max()) or 1.0, weights[_moments(len(weights))]
    body = [svg.text(left, top - 6, "window on the letters", kind="small")]
    for s, letter in enumerate(letters):
        shares = [f"{0.8 * weight / most:.2f}" for weight in kept[:, s].tolist()]
        x = left + s * cell
        body.append(
            f'<rect class="hue" x="{svg.number(x)}" y="{svg.number(top)}" rx="4"'
            f' width="{svg.number(cell - 2)}" height="{svg.number(_LETTER)}" fill-opacity="0">'
            f"{_moving('fill-opacity', shares, seconds)}</rect>"
            f"{svg.text(x + cell / 2 - 1, top + 21, letter, anchor='middle')}"
        )
    return "".join(body)


def _strokes(fitted: FittedStrokes, owners: Sequence[int], top: float, seconds: float) -> str:
    """Draw every run of points when its time has come."""
    n = len(fitted.points) - 1
    body = []
    for first, last, owner in runs(fitted, owners):
        points = np.add(fitted.points[first : last + 1], (_EDGE, top))
        way = " L".join(f"{svg.number(x)} {svg.number(y)}" for x, y in points.tolist())
        kind = "axis" if owner < 0 else f"s{owner % svg.N_COLOURS}"
        times = f"0;{first / n:.4f};{last / n:.4f};1"
        body.append(
            f'<path class="line {kind}" pathLength="1" stroke-dasharray="1 2" d="M{way}">'
            f"{_moving('stroke-dashoffset', [_HIDDEN, _HIDDEN, '0', '0'], seconds, times)}</path>"
        )
    return "".join(body)


def _tip(fitted: FittedStrokes, top: float, seconds: float) -> str:
    """Draw the tip of the pen; it is gone where nothing moves."""
    kept = np.add(fitted.points[_moments(len(fitted.points))], (_EDGE, top))
    moves = "".join(
        _moving(name, [svg.number(n) for n in kept[:, axis].tolist()], seconds)
        for name, axis in (("cx", 0), ("cy", 1))
    )
    shown = _moving("fill-opacity", ["0.8", "0.8", "0"], seconds, "0;0.98;1")
    return f'<circle class="f1" r="5" fill-opacity="0">{moves}{shown}</circle>'


def _moments(n: int) -> npt.NDArray[np.int64]:
    """Return the numbers of the moments that are kept of `n`, the first and the last too."""
    return np.unique(np.linspace(0, max(n - 1, 0), min(n, _FRAMES)).round().astype(np.int64))


def _moving(name: str, values: Sequence[str], seconds: float, times: str = "") -> str:
    """Let an attribute go through values, evenly or at given parts of the time, and stay there."""
    kept = f' keyTimes="{times}"' if times else ""
    return (
        f'<animate attributeName="{name}" values="{";".join(values)}"{kept}'
        f' dur="{svg.number(seconds)}s" fill="freeze"/>'
    )
