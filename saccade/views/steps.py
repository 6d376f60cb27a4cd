"""Attention by hand: every step of one reading with its numbers, as on a blackboard.

Vectors are shown by their first numbers and their length. Steps that give something for every place
stand side by side, a row for each place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, pad, shorten, widest

_SHOWN = 4  # numbers of a vector
_CELL, _ROW, _GAP, _EDGE = 50.0, 22.0, 22.0, 20.0  # pixels
_LONGEST = 18  # columns of the name of a place


@dataclass(frozen=True, slots=True)
class CalculatedStep:
    """A step: its equation, and what came out.

    value: `[D]`; or, `by_place`, `[S]` or `[S, D]`, a number or a vector for every place.
    """

    equation: str
    value: npt.NDArray[Any]
    by_place: bool = True


@dataclass(frozen=True, slots=True)
class Calculation:
    """How one word reads by one map of attention.

    asker: the word.  name: of the map.  places: what is read.
    """

    asker: str
    name: str
    places: tuple[str, ...]
    steps: tuple[CalculatedStep, ...]

    def __post_init__(self) -> None:
        """Refuse numbers that have no place."""
        for step in self.steps:
            if step.by_place and len(step.value) != len(self.places):
                raise ShapeError(
                    f"steps: {step.equation} has {len(step.value)} rows for {len(self.places)}"
                    " places; expected one for each place. Give as many."
                )

    @property
    def title(self) -> str:
        """Say who reads by what."""
        return f"{self.asker}, {self.name}"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table: its heading, its cells as text, and how dark each is, 0 to 1."""

    head: str
    cells: tuple[str, ...]
    shades: tuple[float, ...]
    first: bool  # of its step


def to_terminal(found: Calculation, *, width: int = 100) -> str:
    """Write the steps one below the other; a table too wide goes on below itself.

    >>> one = CalculatedStep("e = q·k", np.array([2.0, -1.0]))
    >>> print(to_terminal(Calculation("it", "head 1", ("the", "cat"), (one,))), end="")
    it, head 1
    <BLANKLINE>
          1. e = q·k
    the    2.000
    cat   -1.000
    """
    axes.check_width("steps.to_terminal", width)
    lines = [shorten(found.title, width)]
    margin = min(max(widest(map(label, found.places)), 4), width // 3, _LONGEST)
    for run in _runs(found.steps):
        lines.append("")
        if not run[0][1].by_place:
            lines += [shorten(f"{n}. {_told(step)}", width) for n, step in run]
            continue
        for panel in _panels(run, margin, width):
            lines += _table(panel, found.places, margin, width)
    return "".join(f"{line}\n" for line in lines)


def to_svg(found: Calculation) -> str:
    """Draw the steps; a cell is the darker, the larger its number is among those of its step."""
    names = [shorten(label(place), _LONGEST) for place in found.places]
    left = max([svg.pixels(name) for name in names] + [60.0]) + _EDGE + 12
    body, y = [svg.text(_EDGE, 30, found.title, kind="title")], 44.0
    wide = svg.pixels(found.title) * 1.2 + 2 * _EDGE
    for run in _runs(found.steps):
        if run[0][1].by_place:
            drawn, across = _svg_table(run, names, left, y + 12)
            body += drawn
            y += 12 + 2 * _ROW + _ROW * len(names) + 8
        else:
            across = 0.0
            for n, step in run:
                y += _ROW + 4
                body.append(svg.text(_EDGE, y, f"{n}. {_told(step)}"))
                across = max(across, svg.pixels(f"{n}. {_told(step)}") + 2 * _EDGE)
            y += 10
        wide = max(wide, across)
    said = f"how {found.asker} reads, step by step"
    return svg.document(wide, y + 16, "".join(body), name=said)


def _runs(steps: Sequence[CalculatedStep]) -> list[list[tuple[int, CalculatedStep]]]:
    """Number the steps from 1, and put neighbours of one kind together."""
    numbered = list(enumerate(steps, 1))
    return [list(group) for _, group in groupby(numbered, key=lambda one: one[1].by_place)]


def _told(step: CalculatedStep) -> str:
    """Write a vector: its first numbers, how many more there are, and its length."""
    values = np.asarray(step.value, dtype=np.float64)
    if len(values) == 1:
        return f"{step.equation}  {_number(float(values[0]))}"
    shown = ", ".join(_number(float(value)) for value in values[:_SHOWN])
    more = f", … {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return f"{step.equation}  [{shown}{more}]  length {_number(float(np.linalg.norm(values)))}"


def _number(value: float) -> str:
    """Write a number in at most seven columns.

    >>> _number(0.25), _number(-123.456), _number(1234567.0), _number(float("nan"))
    ('0.250', '-123.5', '1e+06', 'nan')
    """
    if not np.isfinite(value):
        return str(value)
    if abs(value) >= 1e5:
        return f"{value:.0e}"
    written = f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"
    return written.removeprefix("-") if float(written) == 0 else written


def _columns(n: int, step: CalculatedStep) -> list[_Column]:
    values = np.asarray(step.value, dtype=np.float64)
    head = f"{n}. {step.equation}"
    if values.ndim == 1:
        top = float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values))) or 1.0
        return [_column(head, values, top, first=True)]
    flat = values.reshape(len(values), -1)  # [S, D]
    shown = flat[:, :_SHOWN]
    top = float(np.max(np.abs(shown), initial=0.0, where=np.isfinite(shown))) or 1.0
    columns = [
        _column(head if not i else "", one, top, first=not i) for i, one in enumerate(shown.T)
    ]
    if flat.shape[1] > _SHOWN:
        columns.append(_Column("", ("…",) * len(flat), (0.0,) * len(flat), first=False))
    lengths = np.linalg.norm(flat, axis=1)
    written = tuple(f"|{_number(float(one))}|" for one in lengths)
    columns.append(_Column("", written, (0.0,) * len(flat), first=False))
    return columns


def _column(head: str, values: npt.NDArray[np.float64], top: float, *, first: bool) -> _Column:
    shades = tuple(
        min(abs(float(v)) / top, 1.0) * np.sign(v) if np.isfinite(v) else 0.0 for v in values
    )
    return _Column(head, tuple(_number(float(v)) for v in values), shades, first)


def _panels(
    run: list[tuple[int, CalculatedStep]], margin: int, width: int
) -> Iterator[list[list[_Column]]]:
    """Yield as many steps as stand side by side."""
    panel: list[list[_Column]] = []
    used = margin
    for n, step in run:
        columns = _columns(n, step)
        needed = _step_width(columns)
        if panel and used + needed > width:
            yield panel
            panel, used = [], margin
        panel.append(columns)
        used += needed
    if panel:
        yield panel


def _cell_width(column: _Column) -> int:
    return max(map(len, column.cells), default=0) + 1


def _step_width(columns: Sequence[_Column]) -> int:
    """Count the columns of a terminal that a step takes, the space before it included."""
    return 1 + max(sum(map(_cell_width, columns)), widest([columns[0].head]) + 1)


def _table(panel: list[list[_Column]], places: Sequence[str], margin: int, width: int) -> list[str]:
    heads = "".join(f"{pad(columns[0].head, _step_width(columns) - 2)}  " for columns in panel)
    indent = " " * (margin + 2) if len(panel) > 1 or margin + 2 + len(heads) <= width else ""
    lines = [shorten(f"{indent}{heads}".rstrip(), width)]
    for s, place in enumerate(places):
        cells = ""
        for columns in panel:
            one = "".join(column.cells[s].rjust(_cell_width(column)) for column in columns)
            cells += " " + pad(one, _step_width(columns) - 1)
        lines.append(shorten(f"{pad(label(place), margin)}{cells}".rstrip(), width))
    return lines


def _svg_table(
    run: list[tuple[int, CalculatedStep]], names: list[str], left: float, y: float
) -> tuple[list[str], float]:
    """Draw a table from height `y` on; return it and how far it reaches."""
    body = [
        svg.text(left - 12, y + _ROW * (s + 2) - 7, name, anchor="end")
        for s, name in enumerate(names)
    ]
    x = left
    for n, step in run:
        columns, start = _columns(n, step), x
        for column in columns:
            wide = 18.0 if column.cells[:1] == ("…",) else _CELL
            body += _svg_column(column, x, y, wide)
            x += wide
        x = max(x, start + svg.pixels(columns[0].head) + 4) + _GAP
        body.append(svg.text(start, y + 12, columns[0].head))
    return body, x + _EDGE


def _svg_column(column: _Column, x: float, y: float, wide: float) -> list[str]:
    drawn = []
    for s, (cell, part) in enumerate(zip(column.cells, column.shades, strict=True)):
        at = y + _ROW * (s + 1)
        if part:
            hue = "f0" if part > 0 else "f1"
            drawn.append(
                f'<rect class="{hue}" fill-opacity="{svg.number(0.45 * abs(part))}" '
                f'x="{svg.number(x)}" y="{svg.number(at)}" width="{svg.number(wide - 2)}" '
                f'height="{svg.number(_ROW - 2)}" rx="3"/>'
            )
        drawn.append(svg.text(x + wide / 2 - 1, at + 14, cell, anchor="middle", kind="small"))
    return drawn
