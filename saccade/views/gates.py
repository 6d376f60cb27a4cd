"""Gates along a text: how far each stood open when a recurrent layer read each symbol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saccade.errors import ShapeError
from saccade.views import axes, heatmap, svg
from saccade.views.cell_state import wrapped
from saccade.views.words import clean, columns, label, pad, shorten, widest

_ACROSS = 84  # columns of a line in a picture
_COLUMN = 9.0  # pixels of one of them
_HIGH, _STRIP = 22.0, 15.0  # pixels of the symbols, and of a gate below them
_HEIGHTS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class GatesPanel:
    """A layer along a text: `gates[name][place]` from 0, shut, to 1, open.

    name: which layer, and which of its units.
    """

    name: str
    symbols: Sequence[str]
    gates: Mapping[str, Sequence[float]]


def to_svg(panels: Sequence[GatesPanel], *, title: str = "") -> str:
    """Write each text with a strip for every gate below its symbols: dark is open.

    opacity = 0.05 + 0.95 value;  beside a gate stands its mean over the text
    """
    _check("gates.to_svg", panels)
    names = [_named(gate, values) for one in panels for gate, values in one.gates.items()]
    left = 32 + max((svg.pixels(name) for name in names), default=0.0)
    body = [svg.text(20, 30, title, kind="title")] if title else []
    y = 58.0 if title else 28.0
    wide = 0.0
    for panel in panels:
        body.append(svg.text(20, y, clean(panel.name), kind="small"))
        y += 6
        for row in wrapped([label(symbol) for symbol in panel.symbols], _ACROSS):
            drawn, across = _line(panel, row, left, y)
            body += drawn
            wide, y = max(wide, across), y + _HIGH + _STRIP * len(panel.gates) + 8
        y += 22
    body.append(heatmap.scale(left, y - 12, 1.0))
    headings = max((svg.pixels(panel.name) for panel in panels), default=0.0)
    width = max(left + max(wide, 160.0), headings + 20, svg.pixels(title) * 1.2 + 20) + 20
    return svg.document(width, y + 14, "".join(body), name=title or "gates along a text")


def to_terminal(panels: Sequence[GatesPanel], *, colour: bool, width: int = 100) -> str:
    """Write each text with a line for every gate below it: `▁` is shut, `█` open.

    >>> panel = GatesPanel("lstm", "ab", {"forget": [0.0, 1.0]})
    >>> print(to_terminal([panel], colour=False, width=40), end="")
    lstm
                ab
    forget 0.50 ▁█
    """
    axes.check_width("gates.to_terminal", width)
    _check("gates.to_terminal", panels)
    names = [_named(gate, values) for one in panels for gate, values in one.gates.items()]
    margin = min(widest(names), max(width // 3, 1)) if names else 0
    lines = []
    for panel in panels:
        lines.append(shorten(clean(panel.name), width))
        shown = [shorten(label(symbol), width - margin - 1) for symbol in panel.symbols]
        for row in wrapped(shown, width - margin - 1):
            lines.append(f"{' ' * margin} {''.join(shown[i] for i in row)}".rstrip())
            for gate, values in panel.gates.items():
                marks = (_mark(values[i], columns(shown[i]), colour=colour) for i in row)
                lines.append(f"{pad(_named(gate, values), margin)} {''.join(marks)}")
        lines.append("")
    return "".join(f"{line}\n" for line in lines[:-1]) or "no gate to show\n"


def _check(where: str, panels: Sequence[GatesPanel]) -> None:
    for panel in panels:
        for gate, values in panel.gates.items():
            if len(values) != len(panel.symbols):
                raise ShapeError(
                    f"{where}: {gate} of {panel.name} has {len(values)} values; the text has"
                    f" {len(panel.symbols)} symbols; pass one value for each symbol."
                )


def _named(gate: str, values: Sequence[float]) -> str:
    finite = [value for value in values if np.isfinite(value)]
    return f"{clean(gate)} {np.mean(finite):.2f}" if finite else clean(gate)


def _line(panel: GatesPanel, row: Sequence[int], left: float, y: float) -> tuple[list[str], float]:
    """Draw one line of the text and its strips; tell how wide it is."""
    drawn, x = [], left
    for place in row:
        symbol = label(panel.symbols[place])
        wide = max(columns(symbol), 1) * _COLUMN
        drawn.append(svg.text(x + wide / 2, y + 16, symbol, anchor="middle"))
        for k, (gate, values) in enumerate(panel.gates.items()):
            top = y + _HIGH + k * _STRIP
            tip = svg.tip(f"{gate} at {symbol}: {values[place]:.3f}")
            drawn.append(
                f'<rect {heatmap.shade(values[place], 1.0)} data-place="{place}"'
                f' data-gate="{k}" x="{svg.number(x)}" y="{svg.number(top)}"'
                f' width="{svg.number(wide - 0.5)}" height="{svg.number(_STRIP - 1)}">{tip}</rect>'
            )
        x += wide
    for k, (gate, values) in enumerate(panel.gates.items()):
        where = (left - 8, y + _HIGH + k * _STRIP + 11)
        drawn.append(svg.text(*where, _named(gate, values), anchor="end", kind="small"))
    return drawn, x - left


def _mark(value: float, wide: int, *, colour: bool) -> str:
    if not np.isfinite(value):
        return "?" * wide
    part = min(max(value, 0.0), 1.0)
    if colour:
        ramp = heatmap.RAMP
        return f"\x1b[48;5;{ramp[round(part * (len(ramp) - 1))]}m{' ' * wide}\x1b[0m"
    return _HEIGHTS[round(part * 7)] * wide
