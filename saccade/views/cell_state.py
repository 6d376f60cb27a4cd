"""A text coloured by what a unit of a recurrent layer held after each symbol.

The units shown are those that follow a property of the text most closely, by correlation: Karpathy,
Johnson & Fei-Fei 2016, Visualizing and Understanding Recurrent Networks (arXiv:1506.02078).
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.positions import COOL, LEVELS, WARM
from saccade.views.ticks import short
from saccade.views.words import clean, columns, label, shorten

Floats = npt.NDArray[np.float64]

_ACROSS = 90  # columns of a line in a picture
_COLUMN = 9.0  # pixels of one of them
_HIGH = 24.0  # pixels of a line
_SIGNS = "▼▽·△▲"
_OPENING, _CLOSING = "([{⟨«", ")]}⟩»"
_QUOTES = '"“”„'
_VOWELS = frozenset("aeiouyαειουηωаеиоуыэюя")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: what it is called, what it follows and how closely, its value after each symbol."""

    name: str
    follows: str
    correlation: float
    values: Sequence[float]


def properties(symbols: Sequence[str]) -> dict[str, Floats]:
    """Measure what each symbol of a text stands in; a piece counts as the mean of its letters.

    What is the same everywhere is left out, for nothing can be seen to follow it.

    >>> {name: value.tolist() for name, value in properties(list("(a)")).items()}["bracket depth"]
    [1.0, 1.0, 0.0]
    """
    text = [piece.replace("▁", " ") or " " for piece in symbols]
    places = np.repeat(np.arange(len(text)), [len(piece) for piece in text])
    letters = "".join(text)
    sizes = np.maximum(np.bincount(places, minlength=len(text)), 1)
    found = {
        name: np.bincount(places, weights=measured, minlength=len(text)) / sizes
        for name, measured in _measured(letters).items()
    }
    return {name: value for name, value in found.items() if len(value) and np.ptp(value) > 0}


def best_units(
    states: npt.NDArray[np.floating], names: Sequence[str], symbols: Sequence[str]
) -> list[Unit]:
    """Return, for each property of a text, the unit of `states [S, U]` that follows it best.

        r[u] = corr(states[:, u], property),    the unit of the largest |r|

    On a short text some unit follows anything by chance; believe it on a long one.
    """
    found = np.asarray(states, dtype=np.float64)
    if found.shape != (len(symbols), len(names)):
        raise ShapeError(
            f"cell_state.best_units: states have shape {list(found.shape)}; {len(symbols)} symbols "
            f"and {len(names)} units need {[len(symbols), len(names)]}; pass one row per symbol."
        )
    if not found.size:
        return []
    finite = np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
    units = []
    for follows, wanted in properties(symbols).items():
        r = _correlations(finite, wanted)
        best = int(np.abs(r).argmax())
        units.append(Unit(names[best], follows, float(r[best]), found[:, best].tolist()))
    return units


def to_svg(symbols: Sequence[str], units: Sequence[Unit], *, title: str = "") -> str:
    """Write the text once for each unit, every symbol on the colour of its value.

    opacity = 0.75 |value| / largest |value| of the unit;  one hue above zero, another below
    """
    _check("cell_state.to_svg", symbols, units)
    rows = list(wrapped([label(symbol) for symbol in symbols], _ACROSS))
    y = 56.0 if title else 28.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for unit in units:
        body.append(svg.text(20, y, _heading(unit), kind="small"))
        y += 8
        top = _top(unit.values)
        for row in rows:
            x = 20.0
            for place in row:
                wide = _columns(symbols[place]) * _COLUMN
                body.append(_symbol(x, y, wide, symbols[place], place, unit, top))
                x += wide
            y += _HIGH + 2
        y += 24
    across = max((sum(_columns(symbols[i]) for i in row) for row in rows), default=0) * _COLUMN
    headings = max((svg.pixels(_heading(unit)) for unit in units), default=0.0)
    width = max(across, headings, svg.pixels(title) * 1.2) + 40
    return svg.document(width, max(y - 8, 40.0), "".join(body), name=title or "units over a text")


def to_terminal(
    symbols: Sequence[str], units: Sequence[Unit], *, colour: bool, width: int = 100
) -> str:
    """Write the text once for each unit; without colour, `▲ △ · ▽ ▼` stand below its symbols."""
    axes.check_width("cell_state.to_terminal", width)
    _check("cell_state.to_terminal", symbols, units)
    shown = [shorten(label(symbol), width) for symbol in symbols]
    rows = list(wrapped(shown, width))
    lines = []
    for unit in units:
        lines.append(shorten(_heading(unit), width))
        levels = [_level(value, _top(unit.values)) for value in unit.values]
        for row in rows:
            if colour:
                lines.append("".join(_painted(shown[i], levels[i]) for i in row))
                continue
            lines.append("".join(shown[i] for i in row).rstrip())
            marks = "".join(_SIGNS[2 + round(levels[i] / 4)] * columns(shown[i]) for i in row)
            lines.append(marks)
        lines.append("")
    return "".join(f"{line}\n" for line in lines[:-1]) or "no unit to show\n"


def _measured(letters: str) -> dict[str, Floats]:
    """Measure every character of a text."""
    quoted = depth = indent = in_line = in_word = 0
    leading = True
    rows = []
    for c in letters:
        quoted ^= c in _QUOTES
        depth = max(depth + (c in _OPENING) - (c in _CLOSING), 0)
        in_line, in_word = (0, 0) if c == "\n" else (in_line + 1, in_word + 1)
        leading = c == "\n" or (leading and c in " \t")
        indent = 0 if c == "\n" else indent + leading
        in_word = 0 if c.isspace() else in_word
        base = unicodedata.normalize("NFD", c.lower())[0]
        rows.append((quoted, depth, indent, in_line, in_word, base in _VOWELS, c.isupper()))
    names = ("inside quotes", "bracket depth", "indentation", "place in line", "place in word")
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 7)
    return dict(zip((*names, "vowel", "capital"), table.T, strict=True))


def _correlations(states: Floats, wanted: Floats) -> Floats:
    """Correlate columns of `states [S, U]` with `wanted [S]`; 0 for a unit that never moves."""
    moved, aim = states - states.mean(axis=0), wanted - wanted.mean()
    sizes = np.sqrt((moved**2).sum(axis=0) * (aim**2).sum())
    return np.asarray(np.divide(aim @ moved, sizes, out=np.zeros_like(sizes), where=sizes > 1e-12))


def _check(where: str, symbols: Sequence[str], units: Sequence[Unit]) -> None:
    for unit in units:
        if len(unit.values) != len(symbols):
            raise ShapeError(
                f"{where}: {unit.name} has {len(unit.values)} values; the text has {len(symbols)} "
                "symbols; pass one value for each symbol."
            )


def wrapped(shown: Sequence[str], width: int) -> Iterator[list[int]]:
    """Yield the places of each line: a line ends at its width, or behind a line feed."""
    row: list[int] = []
    used = 0
    for i, word in enumerate(shown):
        if row and used + max(columns(word), 1) > width:
            yield row
            row, used = [], 0
        row.append(i)
        used += max(columns(word), 1)
        if word == "⏎":
            yield row
            row, used = [], 0
    if row:
        yield row


def _heading(unit: Unit) -> str:
    return f"{clean(unit.follows)}: {clean(unit.name)}, r = {unit.correlation:.2f}"


def _columns(symbol: str) -> int:
    return max(columns(label(symbol)), 1)


def _top(values: Sequence[float]) -> float:
    return max((abs(value) for value in values if np.isfinite(value)), default=0.0) or 1.0


def _level(value: float, top: float) -> int:
    return round(value / top * LEVELS) if np.isfinite(value) else 0


def _symbol(
    x: float, y: float, wide: float, symbol: str, place: int, unit: Unit, top: float
) -> str:
    value = unit.values[place]
    said = short(value)
    part = min(abs(value) / top, 1.0) * 0.75 if np.isfinite(value) else 0.0
    data = f'data-place="{place}" data-value="{value:.4g}"' if np.isfinite(value) else ""
    rect = (
        f'<rect class="f{int(value < 0)}" fill-opacity="{svg.number(part)}" {data} '
        f'x="{svg.number(x)}" y="{svg.number(y)}" width="{svg.number(wide)}" '
        f'height="{svg.number(_HIGH)}">{svg.tip(f"{label(symbol)}: {said}")}</rect>'
    )
    return rect + svg.text(x + wide / 2, y + 16, label(symbol), anchor="middle")


def _painted(shown: str, level: int) -> str:
    if not level:
        return shown
    ramp = COOL if level > 0 else WARM
    ink = 15 if abs(level) < 5 else 16
    return f"\x1b[48;5;{ramp[abs(level) - 1]};38;5;{ink}m{shown}\x1b[0m"
