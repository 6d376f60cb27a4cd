"""The attention matrix as a map: a row for each target word, a column for each source word."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.weights import Weights, checked, share, spoken, top_of
from saccade.views.words import clusters, escape, label, pad, sentence, shorten, widest

# Blues of the 256-colour table whose luminance rises at every step.
RAMP = (17, 18, 24, 25, 31, 32, 38, 39, 81, 159)
SHADES = ("· ", "░░", "▒▒", "▓▓", "██")

_LONGEST = 18  # columns of a label before it is cut
_TALLEST = 12  # rows of a vertical label in a terminal
_NARROWEST = 20


def to_terminal(
    weights: Weights,
    source: Sequence[str],
    target: Sequence[str],
    *,
    colour: bool,
    width: int = 100,
) -> str:
    """Draw the map with two columns for each cell and source words written downwards.

    A sentence too long for `width` is broken into panels, one below the other. Without colour the
    cells are `·`, `░`, `▒`, `▓`, `█`; a weight that is not finite is `? `.
    """
    found = checked("heatmap.to_terminal", weights, source, target)
    if width < _NARROWEST:
        raise ShapeError(
            f"heatmap.to_terminal: width is {width} columns; at least {_NARROWEST} are needed; "
            "pass a larger width."
        )
    rows, heads = [label(word) for word in target], [label(word) for word in source]
    margin = min(widest(rows), _LONGEST, width // 3)
    per_panel = (width - margin - 1) // 2
    top = top_of(found)
    panels = [
        _panel(
            found[:, start : start + per_panel],
            heads[start : start + per_panel],
            rows,
            margin,
            top,
            colour=colour,
        )
        for start in range(0, len(heads), per_panel)
    ]
    return "\n\n".join([*panels, _terminal_scale(top, colour=colour)]) + "\n"


def to_svg(
    weights: Weights, source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Draw the map as an SVG document with a tooltip on every cell.

        opacity = 0.05 + 0.95 weight / top

    over one hue, so lightness goes one way with weight on light and on dark paper. `top` is
    written on the scale below the map. A weight that is not finite is a dashed cell.
    """
    found = checked("heatmap.to_svg", weights, source, target)
    rows = [shorten(label(word), _LONGEST) for word in target]
    heads = [shorten(label(word), _LONGEST) for word in source]
    cell = min(max(840 / max(len(heads), 1), 15.0), 30.0)
    turn = _turn(heads, cell)
    longest = max((svg.pixels(head) for head in heads), default=0.0)
    left = max((svg.pixels(row) for row in rows), default=0.0) + 30
    above = longest * math.sin(math.radians(-turn)) + (30 if turn else 44) + (28 if title else 0)
    overhang = longest * math.cos(math.radians(turn)) + 16
    wide, high = len(heads) * cell, len(rows) * cell
    top = top_of(found)
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body += [_head(left + (j + 0.5) * cell, above - 8, head, turn) for j, head in enumerate(heads)]
    body += [
        svg.text(left - 10, above + (i + 0.5) * cell + 4.5, row, anchor="end")
        for i, row in enumerate(rows)
    ]
    body.append(f'<g transform="translate({svg.number(left)} {svg.number(above)})">')
    body += [_cells(found[i], source, word, i, cell, top) for i, word in enumerate(target)]
    body.append("</g>" + _scale(left, above + high + 18, top))
    heading = svg.pixels(title) * 1.2 + 40 if title else 0.0
    width = max(left + wide + max(overhang, 20), left + 190, heading)
    name = title or f"attention from {sentence(target)} to {sentence(source)}"
    return svg.document(width, above + high + 52, "".join(body), name=name)


def to_html(
    weights: Weights, source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Return a self-contained fragment: the map, with the two sentences below it."""
    picture = to_svg(weights, source, target, title=title)
    return (
        '<figure class="saccade-figure" style="margin:0 0 1rem">'
        f"{svg.scroller(picture)}"
        f'<figcaption style="margin-top:.5rem"><span dir="auto">{escape(sentence(source))}</span>'
        f' → <span dir="auto">{escape(sentence(target))}</span></figcaption></figure>'
    )


def _panel(
    weights: npt.NDArray[np.float64],
    heads: list[str],
    rows: list[str],
    margin: int,
    top: float,
    *,
    colour: bool,
) -> str:
    letters = [_downwards(head) for head in heads]
    height = max(map(len, letters))
    lines = []
    for level in range(height):
        row = [
            word[level - height + len(word)] if level >= height - len(word) else ""
            for word in letters
        ]
        lines.append((" " * (margin + 1) + "".join(pad(c, 2) for c in row)).rstrip())
    for row_label, values in zip(rows, weights, strict=True):
        cells = "".join(_terminal_cell(float(value), top, colour=colour) for value in values)
        lines.append(f"{pad(row_label, margin, right=True)} {cells}".rstrip())
    return "\n".join(lines)


def _downwards(head: str) -> list[str]:
    found = clusters(head) or ["∅"]
    return found if len(found) <= _TALLEST else [*found[: _TALLEST - 1], "⋮"]


def _terminal_cell(weight: float, top: float, *, colour: bool) -> str:
    if not np.isfinite(weight):
        return "? "
    part = share(weight, top)
    if colour:
        return f"\x1b[48;5;{RAMP[round(part * (len(RAMP) - 1))]}m  \x1b[0m"
    return SHADES[round(part * (len(SHADES) - 1))]


def _terminal_scale(top: float, *, colour: bool) -> str:
    if colour:
        return "0 " + "".join(f"\x1b[48;5;{c}m \x1b[0m" for c in RAMP) + f" {top:.2f}"
    return "0 " + "".join(shade[0] for shade in SHADES) + f" {top:.2f}"


def _turn(heads: list[str], cell: float) -> float:
    """Return by how much source words lean: upright letters, slanted words, steep if crowded."""
    if widest(heads) <= 2:
        return 0.0
    return -50.0 if cell >= 22 else -90.0


def _head(x: float, y: float, head: str, turn: float) -> str:
    return svg.text(x + 4, y, head, turn=turn) if turn else svg.text(x, y, head, anchor="middle")


def _cells(
    weights: npt.NDArray[np.float64],
    source: Sequence[str],
    word: str,
    row: int,
    cell: float,
    top: float,
) -> str:
    side = svg.number(cell - 2)
    shape = (
        f'y="{svg.number(row * cell + 1)}" width="{side}" height="{side}" '
        f'rx="{svg.number(cell / 7)}"'
    )
    drawn = []
    for j, (value, origin) in enumerate(zip(weights.tolist(), source, strict=True)):
        look = _look(value, top)
        tip = svg.tip(f"{label(origin)} → {label(word)}: {spoken(value)}")
        drawn.append(f'<rect {look} x="{svg.number(j * cell + 1)}" {shape}>{tip}</rect>')
    return "".join(drawn)


def _look(weight: float, top: float) -> str:
    if not np.isfinite(weight):
        return 'class="void"'
    return f'class="hue" fill-opacity="{svg.number(0.05 + 0.95 * share(weight, top))}"'


def _scale(x: float, y: float, top: float) -> str:
    steps = "".join(
        f'<rect class="hue" fill-opacity="{svg.number(0.05 + 0.95 * i / 9)}" '
        f'x="{svg.number(x + 14 + i * 11)}" y="{svg.number(y)}" width="10" height="10" rx="2"/>'
        for i in range(10)
    )
    ends = svg.text(x, y + 9, "0", kind="small") + svg.text(
        x + 130, y + 9, f"{top:.2g}", kind="small"
    )
    return steps + ends
