"""Where the heads of a memory are, step by step, beside what they read and write.

Time goes from left to right. A panel of a head shows the slots it was at, one row each, and below
them the vector that it read, or that stood where it wrote. Graves, Wayne & Danihelka 2014
(arXiv:1410.5401), figure 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.ticks import short
from saccade.views.words import label, pad, shorten

Floats = npt.NDArray[np.floating]
_SHADES = " ·░▒▓█"
_SIGNS = "▼▽·△▲"
_FAINT = 0.05  # a slot whose weight never exceeds it is left out
_MOST = 48  # slots of a panel
_CELL, _GAP = 14.0, 26.0
_TEXT = 92.0  # pixels at the left


@dataclass(frozen=True, slots=True)
class HeadPath:
    """One head along time: weights `[T, N]` over the slots, and vectors `[T, M]`."""

    name: str
    weights: Floats
    vectors: Floats


def to_svg(
    steps: Sequence[str], heads: Sequence[HeadPath], *, reading: int = 0, title: str = ""
) -> str:
    """Draw all heads, one panel below the other.

    Args:
        steps: what was read at every step, and then what was written.
        heads: where they were.
        reading: how many steps the reading took; a line stands behind them.
        title: what stands above.
    """
    _check("addresses.to_svg", steps, heads)
    right = _TEXT + _CELL * len(steps)
    body, y = [svg.text(20, 26, title, kind="title")] if title else [], 48.0 if title else 24.0
    for head in heads:
        slots = touched(head.weights)
        body.append(svg.text(20, y, f"{head.name}: slots", kind="small"))
        top = y + 8
        body += _weights(head, slots, top)
        y = top + _CELL * len(slots) + 18
        body.append(svg.text(20, y, f"{head.name}: vector", kind="small"))
        body += _vectors(head, y + 8)
        bottom = y + 8 + _CELL * head.vectors.shape[1]
        body.append(_divider(reading, top, bottom))
        y = bottom + _GAP
    longest = max((svg.pixels(label(step)) for step in steps), default=0.0)
    for t, step in enumerate(steps):
        x = _TEXT + (t + 0.5) * _CELL + 4
        body.append(svg.text(x, y, label(step), anchor="end", kind="small", turn=-90))
    width = max(right + 30, svg.pixels(title) * 1.2 + 40)
    name = title or f"addresses of {len(heads)} heads over {len(steps)} steps"
    return svg.document(width, y + longest + 12, "".join(body), name=name)


def to_terminal(
    steps: Sequence[str], heads: Sequence[HeadPath], *, reading: int = 0, width: int = 100
) -> str:
    """Draw a column for each step; `│` stands where reading ends.

    Weights are shaded, `▲ △ · ▽ ▼` are the numbers of a vector. Steps that do not fit are left out
    at the end.
    """
    axes.check_width("addresses.to_terminal", width)
    _check("addresses.to_terminal", steps, heads)
    margin = min(12, width // 3)
    n = min(len(steps), width - margin - 2)
    lines = []
    for head in heads:
        lines.append(shorten(f"{head.name}: slots", width))
        for slot in touched(head.weights):
            cells = [_SHADES[_level(w, 5)] for w in head.weights[:n, slot]]
            lines.append(_line(str(slot), cells, margin, reading))
        lines.append(shorten(f"{head.name}: vector", width))
        top = _top(head.vectors)
        for m in range(head.vectors.shape[1]):
            cells = [_SIGNS[2 + round(2 * _part(v, top))] for v in head.vectors[:n, m]]
            lines.append(_line("", cells, margin, reading))
        lines.append("")
    more = f"{len(steps) - n} more steps do not fit." if n < len(steps) else ""
    said = shorten(f"{reading} steps of reading, then {len(steps) - reading} of writing", width)
    return "\n".join([*lines, said, *([shorten(more, width)] if more else [])]) + "\n"


def touched(weights: Floats) -> list[int]:
    """Return the slots that a head was at, those with the largest weights if there are many.

    >>> touched(np.array([[0.9, 0.0, 0.1], [0.0, 0.01, 0.99]]))
    [0, 2]
    """
    most = np.nan_to_num(weights).max(axis=0, initial=0.0)  # [N]
    order = np.argsort(-most, kind="stable")[:_MOST]
    return sorted(int(slot) for slot in order if most[slot] > _FAINT)


def _weights(head: HeadPath, slots: Sequence[int], top: float) -> list[str]:
    drawn = []
    for row, slot in enumerate(slots):
        y = top + row * _CELL
        drawn.append(svg.text(_TEXT - 8, y + 11, str(slot), anchor="end", kind="small"))
        for t, weight in enumerate(head.weights[:, slot].tolist()):
            if _level(weight, 50):
                said = f"step {t + 1}, slot {slot}: {short(weight)}"
                part = svg.number(0.08 + 0.92 * min(weight, 1.0))
                drawn.append(_rect("hue", part, t, y, said, weight))
    return drawn


def _vectors(head: HeadPath, top: float) -> list[str]:
    drawn, most = [], _top(head.vectors)
    for m, numbers in enumerate(head.vectors.T.tolist()):
        for t, value in enumerate(numbers):
            part = _part(value, most)
            if abs(part) > 0.02:
                kind = f"f{int(part < 0)}"
                said = f"step {t + 1}, number {m + 1}: {short(value)}"
                drawn.append(_rect(kind, svg.number(abs(part)), t, top + m * _CELL, said, value))
    return drawn


def _rect(kind: str, part: str, t: int, y: float, said: str, value: float) -> str:
    return (
        f'<rect class="{kind}" fill-opacity="{part}" data-step="{t + 1}" data-value="{value:.4g}"'
        f' x="{svg.number(_TEXT + t * _CELL)}" y="{svg.number(y)}" width="{svg.number(_CELL - 1)}"'
        f' height="{svg.number(_CELL - 1)}">{svg.tip(said)}</rect>'
    )


def _divider(reading: int, top: float, bottom: float) -> str:
    x = svg.number(_TEXT + reading * _CELL - 0.5)
    ends = f'y1="{svg.number(top - 4)}" y2="{svg.number(bottom + 4)}"'
    return f'<line class="axis" x1="{x}" x2="{x}" {ends}/>' if reading else ""


def _line(name: str, cells: Sequence[str], margin: int, reading: int) -> str:
    split = "│" if 0 < reading < len(cells) else ""
    drawn = "".join(cells[:reading]) + split + "".join(cells[reading:])
    return f"{pad(name, margin, right=True)} {drawn}".rstrip()


def _level(weight: float, levels: int) -> int:
    return round(min(max(weight, 0.0), 1.0) * levels) if np.isfinite(weight) else 0


def _part(value: float, top: float) -> float:
    return float(min(max(value / top, -1.0), 1.0)) if np.isfinite(value) else 0.0


def _top(vectors: Floats) -> float:
    kept = np.abs(vectors[np.isfinite(vectors)])
    return float(kept.max(initial=0.0)) or 1.0


def _check(where: str, steps: Sequence[str], heads: Sequence[HeadPath]) -> None:
    for head in heads:
        if not len(head.weights) == len(head.vectors) == len(steps):
            raise ShapeError(
                f"{where}: {head.name} has {len(head.weights)} weights and {len(head.vectors)}"
                f" vectors; expected {len(steps)}, one for each step. Pass as many."
            )
