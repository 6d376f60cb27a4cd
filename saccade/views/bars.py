"""Horizontal bars, and the counting that turns numbers into a histogram."""

import math
from collections.abc import Mapping, Sequence

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.ticks import drawable, round_step, short
from saccade.views.words import clean, escape, label, pad, shorten, widest

_EIGHTHS = " ▏▎▍▌▋▊▉"
_NARROWEST = 20
_LONGEST = 24
_REACH = 320.0  # pixels of the longest bar
_STEP = 26.0


def histogram(numbers: Sequence[float], *, n_bins: int = 10) -> dict[str, float]:
    """Count whole or real numbers in bins of a round width, empty ones between included.

    Numbers that are not finite get a bin of their own. A bin holds its lower edge and not its
    upper one.

    >>> histogram([1, 2, 2, 5], n_bins=5)
    {'1': 1.0, '2': 2.0, '3': 0.0, '4': 0.0, '5': 1.0}
    >>> histogram([3, 14, 25])
    {'0–4': 1.0, '5–9': 0.0, '10–14': 1.0, '15–19': 0.0, '20–24': 0.0, '25–29': 1.0}
    """
    finite = [float(x) for x in numbers if drawable(x)]
    counts: dict[str, float] = {}
    if finite:
        whole = all(x.is_integer() for x in finite)
        low, high = min(finite), max(finite)
        step = round_step(high - low + whole, n_bins)
        step = max(step, 1.0) if whole else step
        places = [math.floor(x / step + 1e-9) for x in finite]
        for place in range(min(places), max(places) + 1):
            counts[_bin(place * step, step, whole=whole)] = float(places.count(place))
    if len(finite) < len(numbers):
        counts["not finite"] = float(len(numbers) - len(finite))
    return counts


def to_terminal(values: Mapping[str, float], *, title: str = "", width: int = 80) -> str:
    """Draw a row for each value, the longest bar filling the width; negative values get no bar.

    >>> print(to_terminal({"short": 2, "long": 1}, width=20), end="")
    short ████████████ 2
     long ██████       1
    """
    if width < _NARROWEST:
        raise ShapeError(
            f"bars.to_terminal: width is {width} columns; at least {_NARROWEST} are needed; "
            "pass a larger width."
        )
    names = [label(name) if not name.strip() else clean(name) for name in values]
    written = [short(value) for value in values.values()]
    margin = min(widest(names), _LONGEST, width // 3)
    room = width - margin - widest(written) - 2
    lines = [shorten(clean(title), width)] if title else []
    for name, value, figure in zip(names, values.values(), written, strict=True):
        bar = pad(_blocks(_part(value, values), room), room)
        lines.append(f"{pad(name, margin, right=True)} {bar} {figure}".rstrip())
    return "".join(f"{line}\n" for line in lines)


def to_svg(values: Mapping[str, float], *, title: str = "") -> str:
    """Draw a rounded bar for each value with the figure at its end."""
    names = [shorten(clean(name), _LONGEST) for name in values]
    left = max(map(svg.pixels, names), default=0.0) + 30
    above = 52.0 if title else 20.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, (name, (whole, value)) in enumerate(zip(names, values.items(), strict=True)):
        y, long = above + i * _STEP, _part(value, values) * _REACH
        middle = y + _STEP / 2 + 4.5
        body.append(svg.text(left - 10, middle, name, anchor="end"))
        body.append(
            f'<rect class="hue" fill-opacity="0.85" x="{svg.number(left)}" '
            f'y="{svg.number(y + 3)}" width="{svg.number(max(long, 1.5))}" '
            f'height="{svg.number(_STEP - 6)}" rx="3">{svg.tip(f"{whole}: {short(value)}")}</rect>'
        )
        body.append(svg.text(left + long + 8, middle, short(value), kind="small"))
    width = max(left + _REACH + 80, svg.pixels(title) * 1.2 + 40)
    height = above + len(names) * _STEP + 20
    return svg.document(width, height, "".join(body), name=title or "bars")


def to_html(values: Mapping[str, float], *, title: str = "") -> str:
    """Return the bars as a fragment that shrinks to the width of the screen."""
    picture = svg.elastic(to_svg(values, title=title))
    return f'<figure style="margin:0 0 1rem" aria-label="{escape(title)}">{picture}</figure>'


def _part(value: float, values: Mapping[str, float]) -> float:
    largest = max((v for v in values.values() if drawable(v)), default=0.0)
    return max(value, 0.0) / largest if largest > 0 and drawable(value) else 0.0


def _blocks(part: float, room: int) -> str:
    eighths = round(part * room * 8)
    if part > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def _bin(low: float, step: float, *, whole: bool) -> str:
    if whole and step == 1:
        return f"{low:.0f}"
    if whole:
        return f"{low:.0f}–{low + step - 1:.0f}"
    return f"{low:.6g}–{low + step:.6g}"
