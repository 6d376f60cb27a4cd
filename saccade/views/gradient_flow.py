"""How strongly the end of a sequence feels its past: gradient norm against distance, on a log axis.

A straight line that falls is a gradient that vanishes by the same factor at every step back.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.views import axes, svg
from saccade.views.ticks import drawable, round_step, short, ticks
from saccade.views.words import clean, pad, shorten, widest

Flow = Mapping[str, Sequence[float]]

_SPARKS = "▁▂▃▄▅▆▇█"
_WIDE, _HIGH = 520.0, 260.0  # pixels inside the axes
_LEFT, _BELOW = 64.0, 46.0
_LONGEST = 24
_DASHES = ("", "6 4", "2 4", "8 3 2 3")
_FLOOR = -30.0  # powers of ten below which nothing is told apart
_MOST = 200  # points drawn of one line


@dataclass(frozen=True, slots=True)
class _Frame:
    """The inside of the chart: powers of ten it ends in, steps it reaches back, where it stands."""

    low: float
    high: float
    far: int
    above: float

    def x(self, k: float) -> float:
        return _LEFT + k / self.far * _WIDE

    def y(self, power: float) -> float:
        return self.above + (self.high - power) / (self.high - self.low) * _HIGH


def to_svg(flow: Flow, *, title: str = "") -> str:
    """Draw a line for each cell or layer: `flow[name][k]` is the norm k steps back.

    A norm of zero, or one that is not finite, breaks its line.
    """
    far = max((len(line) - 1 for line in flow.values()), default=0)
    frame = _Frame(*_range(flow), max(far, 1), 66.0 if title else 38.0)
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body += _axes(frame)
    body += [_line(name, line, frame, i) for i, (name, line) in enumerate(flow.items())]
    names = [shorten(clean(name), _LONGEST) for name in flow]
    beside, above = _LEFT + _WIDE + 20, frame.above
    body += [_key(beside, above + 8 + i * 20, name, i) for i, name in enumerate(names)]
    width = beside + 54 + max((svg.pixels(name) for name in names), default=0.0)
    width = max(width, svg.pixels(title) * 1.2 + 40)
    height = above + max(_HIGH + _BELOW, len(names) * 20 + 20)
    return svg.document(width, height, "".join(body), name=title or "gradient norm by distance")


def to_terminal(flow: Flow, *, title: str = "", width: int = 100) -> str:
    """Draw a spark line for each, all on one log scale, with the norm at its two ends.

    >>> print(to_terminal({"elman": [1.0, 0.1, 0.01], "lstm": [1.0, 0.9, 0.8]}, width=40), end="")
    elman █▅▁ 1 → 0.01
    lstm  ███ 1 → 0.8
    steps back, 0 to 2; log scale
    """
    axes.check_width("gradient_flow.to_terminal", width)
    low, high = _range(flow)
    names = [clean(name) for name in flow]
    margin = min(widest(names), _LONGEST, width // 3)
    ends = [f"{short(line[0])} → {short(line[-1])}" if len(line) else "" for line in flow.values()]
    room = max(width - margin - 2 - widest(ends), 1)
    lines = [shorten(clean(title), width)] if title else []
    for name, line, end in zip(names, flow.values(), ends, strict=True):
        spark = _spark(line, low, high, room)
        lines.append(shorten(f"{pad(name, margin)} {spark} {end}".rstrip(), width))
    far = max((len(line) - 1 for line in flow.values()), default=0)
    lines.append(shorten(f"steps back, 0 to {far}; log scale", width))
    return "".join(f"{line}\n" for line in lines)


def _axes(frame: _Frame) -> list[str]:
    drawn = [svg.text(20, frame.above - 16, "gradient norm", kind="small")]
    ends = f'x1="{svg.number(_LEFT)}" x2="{svg.number(_LEFT + _WIDE)}"'
    step = int(max(round_step(frame.high - frame.low, 7), 1.0))
    floor = svg.number(frame.above + _HIGH)
    drawn.append(f'<line class="axis" {ends} y1="{floor}" y2="{floor}"/>')
    for power in range(-(-int(frame.low) // step) * step, int(frame.high) + 1, step):
        at = svg.number(frame.y(power))
        drawn.append(f'<line class="rule" {ends} y1="{at}" y2="{at}"/>')
        where = (_LEFT - 8, frame.y(power) + 4)
        drawn.append(svg.text(*where, _power(power), anchor="end", kind="small"))
    bottom = frame.above + _HIGH
    drawn += [
        svg.text(frame.x(mark), bottom + 17, short(mark), anchor="middle", kind="small")
        for mark in ticks(0, frame.far)
        if mark.is_integer() and mark <= frame.far
    ]
    middle = _LEFT + _WIDE / 2
    return [*drawn, svg.text(middle, bottom + 36, "steps back", anchor="middle", kind="small")]


def _level(norm: float) -> float | None:
    if not drawable(norm) or norm <= 0:
        return None
    return max(math.log10(norm), _FLOOR)


def _levels(line: Sequence[float]) -> list[tuple[int, float | None]]:
    stride = -(-len(line) // _MOST)
    return [(k, _level(line[k])) for k in range(0, len(line), max(stride, 1))]


def _range(flow: Flow) -> tuple[float, float]:
    """Return the powers of ten that the axis ends in."""
    known = (_level(norm) for line in flow.values() for norm in line)
    levels = [level for level in known if level is not None]
    low, high = math.floor(min(levels, default=0.0)), math.ceil(max(levels, default=0.0))
    return float(low), float(high if high > low else low + 1)


def _spark(line: Sequence[float], low: float, high: float, room: int) -> str:
    n = min(len(line), room)
    picked = [line[round(i * (len(line) - 1) / max(n - 1, 1))] for i in range(n)]
    levels = [_level(norm) for norm in picked]
    return "".join(
        " " if level is None else _SPARKS[round((level - low) / (high - low) * 7)]
        for level in levels
    )


def _line(name: str, line: Sequence[float], frame: _Frame, order: int) -> str:
    steps, dots, pen = [], [], "M"
    levels = _levels(line)
    every = max(len(levels) // 25, 1)
    for i, (k, level) in enumerate(levels):
        if level is None:
            pen = "M"
            continue
        x, y = svg.number(frame.x(k)), svg.number(frame.y(level))
        steps.append(f"{pen}{x} {y}")
        pen = "L"
        if i % every == 0 or i == len(levels) - 1:
            tip = svg.tip(f"{name}: {short(line[k])} at {k} steps back")
            dots.append(
                f'<circle class="dot f{order % svg.N_COLOURS}" data-distance="{k}" '
                f'data-value="{line[k]:.4g}" cx="{x}" cy="{y}" r="5">{tip}</circle>'
            )
    return f'<path {_pen(order)} d="{"".join(steps)}"/>' + "".join(dots) if steps else ""


def _pen(order: int) -> str:
    """Return how a line is drawn: colours first, then the same colours dashed."""
    dashes = _DASHES[order // svg.N_COLOURS % len(_DASHES)]
    look = f'class="line s{order % svg.N_COLOURS}"'
    return f'{look} stroke-dasharray="{dashes}"' if dashes else look


def _key(x: float, y: float, name: str, order: int) -> str:
    at = svg.number(y - 4)
    swatch = f'<path {_pen(order)} d="M{svg.number(x)} {at}L{svg.number(x + 24)} {at}"/>'
    return swatch + svg.text(x + 32, y, name)


def _power(power: int) -> str:
    """Write a power of ten: near one as a number, else with its exponent."""
    if -3 < power < 4:
        return short(10.0**power)
    digits = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{digits}"
