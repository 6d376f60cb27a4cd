"""Training curves: one chart, a grid of small charts, or a spark line for each series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.views import svg
from saccade.views.ticks import drawable, short, ticks
from saccade.views.words import clean, pad, shorten, widest

Point = tuple[float, float]
Series = Mapping[str, Sequence[Point]]

_SPARKS = "▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT = 420.0, 270.0
_LEFT, _RIGHT, _BELOW = 56.0, 20.0, 46.0
_MOST = 240  # points drawn of one series


@dataclass(frozen=True, slots=True)
class _Frame:
    """The inside of a chart: where the axes run and which numbers they bear."""

    x_range: Point
    y_ticks: list[float]
    above: float

    def x(self, value: float) -> float:
        low, high = self.x_range
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        bottom = _HEIGHT - _BELOW
        return bottom - (value - low) / (high - low) * (bottom - self.above)


def to_svg(series: Series, *, title: str = "", x_label: str = "step", y_label: str = "") -> str:
    """Draw the series over common axes, with a legend if there are two or more.

    A point that is not finite breaks its line. Long series are thinned evenly; the last point
    always stays.
    """
    above = 24.0 + (24 if title else 0) + (22 if len(series) > 1 else 0) + (14 if y_label else 0)
    points = [p for line in series.values() for p in line if _has_place(p)]
    if not points:
        points = [(0.0, 0.0)]
    frame = _Frame(
        _x_range([x for x, _ in points]),
        ticks(min(y for _, y in points), max(y for _, y in points), 4),
        above,
    )
    body = [svg.text(16, 28, title, kind="title")] if title else []
    body += _legend(list(series), 28 + (24 if title else 0)) if len(series) > 1 else []
    body += _axes(frame, x_label, y_label)
    body += [_line(frame, name, line, i) for i, (name, line) in enumerate(series.items())]
    return svg.document(_WIDTH, _HEIGHT, "".join(body), name=title or ", ".join(series))


def grid(charts: Mapping[str, Series], *, x_label: str = "step") -> str:
    """Return small charts side by side as an HTML fragment that wraps on a narrow screen."""
    drawn = (
        f"<div>{svg.elastic(to_svg(series, title=title, x_label=x_label))}</div>"
        for title, series in charts.items()
    )
    columns = "repeat(auto-fill,minmax(min(100%,360px),1fr))"
    style = f"display:grid;grid-template-columns:{columns};gap:1rem"
    return f'<div style="{style}">{"".join(drawn)}</div>'


def to_terminal(series: Series, *, width: int = 80) -> str:
    """Draw one spark line for each series: its name, its course, its first and last value.

    >>> print(to_terminal({"loss": [(0, 4.0), (1, 2.0), (2, 0.5)]}, width=40), end="")
    loss █▄▁ 4 → 0.5
    """
    names = [clean(name) for name in series]
    margin = min(widest(names), max(width // 4, 1))
    ends = [_ends(line) for line in series.values()]
    room = max(width - margin - 2 - widest(ends), 1)
    rows = (
        f"{pad(name, margin)} {_spark(line, room)} {end}"
        for name, line, end in zip(names, series.values(), ends, strict=True)
    )
    return "".join(f"{shorten(row, width)}\n" for row in rows)


def _has_place(point: Point) -> bool:
    return drawable(point[0]) and drawable(point[1])


def _x_range(values: list[float]) -> Point:
    """Return the first and last place on the axis, apart even if all values are one."""
    low, high = min(values), max(values)
    marks = ticks(low, high)
    apart = high - low > 1e-6 * (marks[-1] - marks[0])
    return (low, high) if apart else (marks[0], marks[-1])


def _thin(line: Sequence[Point], most: int) -> list[Point]:
    if len(line) <= most:
        return list(line)
    if most == 1:
        return [line[-1]]
    return [line[round(i * (len(line) - 1) / (most - 1))] for i in range(most)]


def _ends(line: Sequence[Point]) -> str:
    return f"{short(line[0][1])} → {short(line[-1][1])}" if line else "no points"


def _spark(line: Sequence[Point], room: int) -> str:
    values = [y for _, y in _thin(line, room)]
    finite = [y for y in values if drawable(y)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    span = (high - low) or 1.0
    return "".join(_SPARKS[round((y - low) / span * 7)] if drawable(y) else "?" for y in values)


def _legend(names: list[str], y: float) -> list[str]:
    drawn, x = [], 16.0
    room = (_WIDTH - 32) / len(names)
    for i, name in enumerate(names):
        written = shorten(clean(name), max(int((room - 34) / svg.COLUMN), 3))
        swatch = f'<rect class="f{i % svg.N_COLOURS}" x="{svg.number(x)}" y="{svg.number(y - 5)}"'
        drawn.append(f'{swatch} width="14" height="4" rx="2"/>' + svg.text(x + 20, y + 1, written))
        x += min(room, svg.pixels(written) + 38)
    return drawn


def _axes(frame: _Frame, x_label: str, y_label: str) -> list[str]:
    drawn = [svg.text(16, frame.above - 12, y_label, kind="small")] if y_label else []
    left, right = svg.number(_LEFT), svg.number(_WIDTH - _RIGHT)
    for i, value in enumerate(frame.y_ticks):
        y = frame.y(value)
        at, look = svg.number(y), "rule" if i else "axis"
        drawn.append(f'<line class="{look}" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>')
        drawn.append(svg.text(_LEFT - 8, y + 4, short(value), anchor="end", kind="small"))
    bottom = _HEIGHT - _BELOW
    drawn += [
        svg.text(frame.x(value), bottom + 17, short(value), anchor="middle", kind="small")
        for value in ticks(*frame.x_range)
        if frame.x_range[0] <= value <= frame.x_range[1]
    ]
    drawn.append(
        svg.text(
            (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, x_label, anchor="middle", kind="small"
        )
    )
    return drawn


def _line(frame: _Frame, name: str, line: Sequence[Point], order: int) -> str:
    steps, dots, pen = [], [], "M"
    for x, y in _thin(line, _MOST):
        if not _has_place((x, y)):
            pen = "M"
            continue
        at = f"{svg.number(frame.x(x))} {svg.number(frame.y(y))}"
        steps.append(f"{pen}{at}")
        pen = "L"
        cx, cy = at.split()
        tip = svg.tip(f"{name}: {short(y)} at {short(x)}")
        dots.append(
            f'<circle class="dot f{order % svg.N_COLOURS}" cx="{cx}" cy="{cy}" r="5">{tip}</circle>'
        )
    if not steps:
        return ""
    path = f'<path class="line s{order % svg.N_COLOURS}" d="{"".join(steps)}"/>'
    return path + "".join(dots)
