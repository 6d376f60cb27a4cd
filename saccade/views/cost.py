"""Scores against what they cost: one point for each model, on an axis of powers of ten."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.drawing import Drawing, colourless
from saccade.views.ticks import drawable, short, ticks
from saccade.views.words import clean, pad, shorten, widest

_WIDTH, _HEIGHT = 760.0, 400.0
_LEFT, _RIGHT, _ABOVE, _BELOW = 64.0, 130.0, 60.0, 56.0
_LONGEST = 28  # columns of a name
_LINE = 15.0  # pixels between two names that would stand on each other


@dataclass(frozen=True, slots=True)
class Priced:
    """A model, what it cost, its score and how far that reaches."""

    name: str
    cost: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class _Scale:
    """Where costs and scores stand on the paper: powers of ten along, round numbers up."""

    first: int
    last: int
    marks: list[float]

    def x(self, cost: float) -> float:
        along = (math.log10(cost) - self.first) / (self.last - self.first)
        return _LEFT + along * (_WIDTH - _LEFT - _RIGHT)

    def y(self, score: float) -> float:
        up = (score - self.marks[0]) / (self.marks[-1] - self.marks[0])
        return _HEIGHT - _BELOW - up * (_HEIGHT - _ABOVE - _BELOW)


def draw(models: Sequence[Priced], *, cost: str, score: str, title: str = "") -> Drawing:
    """Return the chart in all its forms."""
    return Drawing(
        title or f"{score} against {cost}",
        lambda: to_svg(models, cost=cost, score=score, title=title),
        colourless(lambda width: to_terminal(models, cost=cost, score=score, width=width)),
    )


def to_svg(models: Sequence[Priced], *, cost: str, score: str, title: str = "") -> str:
    """Draw a point with its interval for each model; models that have no cost are left out."""
    points = checked("cost.to_svg", models)
    marks = ticks(min(p.low for p in points), max(p.high for p in points))
    scale = _Scale(*_decades([p.cost for p in points]), marks)
    body = [svg.text(16, 28, title, kind="title")] if title else []
    body += _axes(scale, cost, score)
    beside = _apart([scale.y(p.value) for p in points], [scale.x(p.cost) for p in points])
    for n, (point, height) in enumerate(zip(points, beside, strict=True)):
        colour, place = n % svg.N_COLOURS, svg.number(scale.x(point.cost))
        low, middle, high = map(scale.y, (point.low, point.value, point.high))
        said = f"{clean(point.name)}: {short(point.value)} at {short(point.cost)}"
        name = shorten(clean(point.name), _LONGEST)
        body += [
            f'<line class="s{colour}" stroke-width="2" stroke-opacity="0.5" x1="{place}"'
            f' x2="{place}" y1="{svg.number(low)}" y2="{svg.number(high)}"/>',
            f'<circle class="f{colour}" cx="{place}" cy="{svg.number(middle)}" r="5">'
            f"{svg.tip(said)}</circle>",
            svg.text(scale.x(point.cost) + 9, height + 4, name),
        ]
    return svg.document(_WIDTH, _HEIGHT, "".join(body), name=title or f"{score} against {cost}")


def _axes(scale: _Scale, cost: str, score: str) -> list[str]:
    drawn = [svg.text(16, _ABOVE - 14, score, kind="small")]
    left, right = svg.number(_LEFT), svg.number(_WIDTH - _RIGHT)
    for i, mark in enumerate(scale.marks):
        y = scale.y(mark)
        at, look = svg.number(y), "rule" if i else "axis"
        drawn.append(f'<line class="{look}" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>')
        drawn.append(svg.text(_LEFT - 8, y + 4, short(mark), anchor="end", kind="small"))
    below = _HEIGHT - _BELOW + 18
    for power in range(scale.first, scale.last + 1):
        x = scale.x(10.0**power)
        drawn.append(svg.text(x, below, short(10.0**power), anchor="middle", kind="small"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return [*drawn, svg.text(middle, _HEIGHT - 12, cost, anchor="middle", kind="small")]


def to_terminal(
    models: Sequence[Priced], *, cost: str, score: str, width: int = 80, height: int = 12
) -> str:
    """Draw a letter for each model, and say below which is which.

    >>> print(to_terminal([Priced("a", 1, 2, 2, 2), Priced("b", 100, 4, 4, 4)],
    ...                   cost="minutes", score="BLEU", width=24, height=3), end="")
    BLEU
    4 │                   B
      │
    2 │A
      └────────────────────
       1                100 minutes
    A  a  2 at 1
    B  b  4 at 100
    """
    points = checked("cost.to_terminal", models)
    low, high = min(p.value for p in points), max(p.value for p in points)
    first, last = _ends([p.cost for p in points])
    margin = max(len(short(low)), len(short(high)))
    room = max(width - margin - 3, 8)
    grid = [[" "] * room for _ in range(height)]
    for n, point in enumerate(points):
        along = (math.log10(point.cost) - first) / (last - first or 1.0)
        up = (point.value - low) / (high - low or 1.0)
        grid[height - 1 - round(up * (height - 1))][round(along * (room - 1))] = _letter(n)
    marks = {0: short(high), height - 1: short(low)}
    lines = [
        f"{pad(marks.get(i, ''), margin, right=True)} │{''.join(row)}".rstrip()
        for i, row in enumerate(grid)
    ]
    ends = [short(10.0**first), short(10.0**last)]
    gap = " " * max(room - len(ends[0]) - len(ends[1]), 1)
    lines += [" " * margin + " └" + "─" * room, " " * (margin + 2) + gap.join(ends) + f" {cost}"]
    names = [shorten(clean(p.name), _LONGEST) for p in points]
    lines += [
        f"{_letter(n)}  {pad(names[n], widest(names))}  {short(p.value)} at {short(p.cost)}"
        for n, p in enumerate(points)
    ]
    return "".join(f"{line}\n" for line in [score, *lines])


def checked(where: str, models: Sequence[Priced]) -> list[Priced]:
    """Return the models that have a place on both axes; refuse to draw none."""
    points = [
        p for p in models if p.cost > 0 and all(map(drawable, (p.cost, p.value, p.low, p.high)))
    ]
    if not points:
        raise ShapeError(
            f"{where}: no model has both a cost above 0 and a finite score; expected one or more."
            " Draw models whose training was measured."
        )
    return points


def _ends(costs: Sequence[float]) -> tuple[float, float]:
    return math.log10(min(costs)), math.log10(max(costs))


def _decades(costs: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten that the axis begins and ends with."""
    low, high = _ends(costs)
    first = math.floor(low + 1e-9)
    return first, max(math.ceil(high - 1e-9), first + 1)


def _apart(heights: Sequence[float], places: Sequence[float]) -> list[float]:
    """Move names down that would stand on a name drawn before, close to it from left to right."""
    found: list[tuple[float, float]] = []
    for n in sorted(range(len(heights)), key=lambda n: heights[n]):
        y = heights[n]
        for x_other, y_other in sorted(found, key=lambda one: one[1]):
            if abs(places[n] - x_other) < _RIGHT + 60 and abs(y - y_other) < _LINE:
                y = y_other + _LINE
        found.append((places[n], y))
    moved = dict(zip(sorted(range(len(heights)), key=lambda n: heights[n]), found, strict=True))
    return [moved[n][1] for n in range(len(heights))]


def _letter(n: int) -> str:
    return chr(ord("A") + n) if n < 26 else "*"
