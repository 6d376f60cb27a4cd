"""Powers: how something grows, on axes of doublings, a small chart for each thing that is varied.

A line through the points of a series has its exponent for a slope: `y = c x^p`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.drawing import Drawing, colourless
from saccade.views.ticks import short
from saccade.views.words import clean, pad, shorten, widest

Point = tuple[float, float]
Chart = Mapping[str, Sequence[Point]]  # points by the name of their series

_WIDTH, _HEIGHT = 380.0, 250.0  # of one chart
_LEFT, _RIGHT, _ABOVE, _BELOW = 58.0, 16.0, 34.0, 40.0
_ROW = 20.0
_SMALL = 0.72  # of the width of a label has one in the small font


@dataclass(frozen=True)
class Powers:
    """Charts by what is varied, and a table below them whose first row names the columns."""

    charts: Mapping[str, Chart]
    table: Sequence[Sequence[str]]
    unit: str


@dataclass(frozen=True)
class _Scale:
    """Logarithms of the ends of both axes, and where the chart's corner stands."""

    x: Point
    y: Point
    corner: Point

    def at(self, point: Point) -> Point:
        """Return where a point stands on the paper."""
        across = (math.log2(point[0]) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log2(point[1]) - self.y[0]) / (self.y[1] - self.y[0])
        left, above = self.corner
        return (
            left + _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            above + _HEIGHT - _BELOW - up * (_HEIGHT - _ABOVE - _BELOW),
        )


def exponent(points: Sequence[Point]) -> float:
    """Return the slope of the best line through the logarithms of points above zero.

    >>> round(exponent([(1, 3.0), (2, 12.0), (4, 48.0)]), 9)
    2.0
    """
    x, y = ([math.log(value) for value in axis] for axis in zip(*points, strict=True))
    mid_x, mid_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - mid_x) ** 2 for one in x)
    if not spread:
        raise ShapeError(
            f"powers.exponent: {len(points)} points stand at one place; expected two places or more"
            " for a line. Vary more."
        )
    return sum((a - mid_x) * (b - mid_y) for a, b in zip(x, y, strict=True)) / spread


def draw(powers: Powers, *, title: str, said: str = "") -> Drawing:
    """Return charts and table in all their forms."""
    return Drawing(
        title,
        lambda: to_svg(powers, title=title),
        colourless(lambda width: to_terminal(powers, width=width)),
        said=said,
    )


def to_terminal(powers: Powers, *, width: int = 100) -> str:
    """Write the table, and the first and last point of every series."""
    rows = [[clean(cell) for cell in row] for row in powers.table]
    sizes = [widest(list(column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(pad, row, sizes)).rstrip() for row in rows]
    for varied, chart in powers.charts.items():
        lines.append("")
        for name, points in chart.items():
            (x, y), (last_x, last_y) = points[0], points[-1]
            course = f"{short(y)} to {short(last_y)} {powers.unit}"
            lines.append(f"{varied} {short(x)} to {short(last_x)}: {clean(name)} {course}")
    return "".join(f"{shorten(line, width)}\n" for line in lines)


def to_svg(powers: Powers, *, title: str) -> str:
    """Draw the charts two in a row, with a legend above and the table below."""
    names = list(dict.fromkeys(name for chart in powers.charts.values() for name in chart))
    body = [svg.text(16, 28, title, kind="title"), *_legend(names)]
    for i, (varied, chart) in enumerate(powers.charts.items()):
        corner = (i % 2 * _WIDTH, 62.0 + i // 2 * _HEIGHT)
        body += _chart(varied, chart, names, corner, powers.unit)
    y = 62.0 + -(-len(powers.charts) // 2) * _HEIGHT + 16
    body += _table(powers.table, y)
    return svg.document(2 * _WIDTH + 8, y + _ROW * len(powers.table) + 8, "".join(body), name=title)


def _legend(names: Sequence[str]) -> list[str]:
    drawn, x = [], 16.0
    for i, name in enumerate(names):
        place = f'x="{svg.number(x)}" y="44" width="14" height="4" rx="2"'
        drawn += [f'<rect class="f{i}" {place}/>', svg.text(x + 20, 50, clean(name))]
        x += svg.pixels(name) + 44
    return drawn


def _chart(varied: str, chart: Chart, names: Sequence[str], corner: Point, unit: str) -> list[str]:
    points = [point for line in chart.values() for point in line]
    logs = [[math.log2(value) for value in axis] for axis in zip(*points, strict=True)]
    ends = [(min(axis), max(*axis, min(axis) + 1)) for axis in logs]
    scale = _Scale(ends[0], (math.floor(ends[1][0]), math.ceil(ends[1][1])), corner)
    left, above = corner
    drawn = [
        svg.text(left + _LEFT, above + 20, f"{unit} against {varied}", kind="small"),
        *_axes(scale, sorted({x for x, _ in points})),
    ]
    for name, line in chart.items():
        drawn += _line(scale, name, line, names.index(name))
    return drawn


def _axes(scale: _Scale, marks: Sequence[float]) -> list[str]:
    low, high = int(scale.y[0]), int(scale.y[1])
    drawn = []
    for power in range(low, high + 1, max(-(-(high - low) // 5), 1)):
        x, y = scale.at((2 ** scale.x[0], 2.0**power))
        end = svg.number(scale.corner[0] + _WIDTH - _RIGHT)
        at = svg.number(y)
        look = "rule" if power > low else "axis"
        drawn.append(f'<line class="{look}" x1="{svg.number(x)}" x2="{end}" y1="{at}" y2="{at}"/>')
        drawn.append(svg.text(x - 8, y + 4, short(2.0**power), anchor="end", kind="small"))
    for mark in marks:
        x, y = scale.at((mark, 2 ** scale.y[0]))
        drawn.append(svg.text(x, y + 17, short(mark), anchor="middle", kind="small"))
    return drawn


def _line(scale: _Scale, name: str, points: Sequence[Point], order: int) -> list[str]:
    """Draw the points, and the power that fits them best."""
    power = exponent(points)
    middle = sum(math.log(y) - power * math.log(x) for x, y in points) / len(points)
    ends = [(x, math.exp(middle) * x**power) for x in (points[0][0], points[-1][0])]
    (x1, y1), (x2, y2) = (scale.at(end) for end in ends)
    place = " ".join(
        f'{key}="{svg.number(value)}"'
        for key, value in (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2))
    )
    tip = svg.tip(f"{name}: power {power:.2f}")
    drawn = [f'<line class="line s{order}" {place}>{tip}</line>']
    for point in points:
        cx, cy = (svg.number(value) for value in scale.at(point))
        drawn.append(f'<circle class="f{order}" cx="{cx}" cy="{cy}" r="3.5"/>')
    return drawn


def _table(table: Sequence[Sequence[str]], y: float) -> list[str]:
    sizes = [
        _SMALL * max(svg.pixels(cell) for cell in column) for column in zip(*table, strict=True)
    ]
    wide = 2 * _WIDTH - 32
    gap = (wide - sum(sizes)) / max(len(sizes) - 1, 1)
    drawn = []
    for i, row in enumerate(table):
        x = 16.0
        for cell, size in zip(row, sizes, strict=True):
            drawn.append(svg.text(x, y + i * _ROW, clean(cell), kind="small"))
            x += size + gap
    return drawn
