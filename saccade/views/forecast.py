"""A forecast: what was known, what was forecast, and what came."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from saccade.errors import DataError, ShapeError
from saccade.views import curves
from saccade.views.drawing import AttentionMap, Drawing, colourless
from saccade.views.ticks import drawable, short

_SPARKS = "▁▂▃▄▅▆▇█"
_NARROWEST = 20


def draw(
    source: Any,
    output: Any,
    truth: Any = None,
    seen: AttentionMap | None = None,
    *,
    column: int = 0,
) -> Drawing:
    """Draw one column of a window `[S, C]`, of its forecast and, if it is known, of what came.

    `seen`, where the model looked, is not drawn.
    """
    del seen
    columns = np.asarray(output).shape[1]
    if not 0 <= column < columns:
        raise DataError(
            f"column {column} was asked for; expected 0 to {columns - 1}, as that many are"
            " forecast. Change it."
        )
    shown = [np.asarray(source), np.asarray(output)] + ([] if truth is None else [truth])
    lists = [np.asarray(one)[:, column].tolist() for one in shown]
    return Drawing(
        "Forecast",
        lambda: to_svg(*lists, title="Forecast"),
        colourless(lambda width: to_terminal(*lists, width=max(width, 20))),
    )


def draw_band(
    source: Any, output: Any, band: tuple[Any, Any], level: float, *, column: int = 0
) -> Drawing:
    """Draw one column of a window `[S, C]`, of its forecast, and the band `[T, C]` around it."""
    known, said, low, high = (
        np.asarray(one)[:, column].tolist() for one in (source, output, *band)
    )
    lines = series_of(known, said)
    for name, values in (("above", high), ("below", low)):
        lines[f"{level:.0%} {name}"] = [(i + 1.0, float(v)) for i, v in enumerate(values)]
    title = f"Forecast, and where {level:.0%} lie"

    def terminal(width: int) -> str:
        rows = [("forecast", said), ("below", low), ("above", high)]
        return "".join(
            f"{name:<10}{' '.join(short(float(f'{v:.4g}')) for v in values)}"[:width] + "\n"
            for name, values in rows
        )

    return Drawing(
        "Band",
        lambda: curves.to_svg(lines, title=title, x_label="steps from now"),
        colourless(terminal),
    )


def series_of(
    window: Sequence[float], forecast: Sequence[float], truth: Sequence[float] = ()
) -> dict[str, list[curves.Point]]:
    """Return the lines of a chart by name; the last known value is at 0, where both others begin.

    >>> series_of([1.0, 2.0], [3.0])
    {'known': [(-1.0, 1.0), (0.0, 2.0)], 'forecast': [(0.0, 2.0), (1.0, 3.0)]}
    """
    n = len(window)
    lines = {"known": [(float(i - n + 1), float(v)) for i, v in enumerate(window)]}
    for name, values in (("forecast", forecast), ("what came", truth)):
        if len(values):
            after = [(float(i + 1), float(v)) for i, v in enumerate(values)]
            lines[name] = [*lines["known"][-1:], *after]
    return lines


def to_svg(
    window: Sequence[float],
    forecast: Sequence[float],
    truth: Sequence[float] = (),
    *,
    title: str = "",
    y_label: str = "",
) -> str:
    """Draw the window, the forecast and, if it is known, the truth over common axes."""
    lines = series_of(window, forecast, truth)
    return curves.to_svg(lines, title=title, x_label="steps from now", y_label=y_label)


def to_terminal(
    window: Sequence[float],
    forecast: Sequence[float],
    truth: Sequence[float] = (),
    *,
    width: int = 80,
) -> str:
    """Write the window and the forecast as a line of bars, the truth below on the same scale.

    Of a window that is too long for the line, the last places are shown.

    >>> print(to_terminal([0.0, 7.0], [3.0, 4.0], [3.0, 5.0], width=40), end="")
    forecast   ▁█│▄▅  7 → 4
    what came    │▄▆  7 → 5
    """
    if width < _NARROWEST:
        raise ShapeError(
            f"forecast.to_terminal: width is {width} columns; at least {_NARROWEST} are needed;"
            " pass a larger width."
        )
    known = list(window)
    name = max(len("what came") if len(truth) else 0, len("forecast")) + 2
    ends = [_ends(known, values) for values in (forecast, truth) if len(values)]
    room = width - name - 3 - max(map(len, ends), default=0)
    known = known[len(known) - max(min(len(known), room - len(forecast)), 0) :]
    shown = [v for v in (*known, *forecast, *truth) if drawable(v)]
    low, high = min(shown, default=0.0), max(shown, default=0.0)

    def bars(values: Sequence[float]) -> str:
        span = (high - low) or 1.0
        return "".join(_SPARKS[round((v - low) / span * 7)] if drawable(v) else "?" for v in values)

    rows = [("forecast", bars(known), forecast)]
    rows += [("what came", " " * len(known), truth)] if len(truth) else []
    return "".join(
        f"{label:<{name}}{past}│{bars(values)}  {_ends(list(window), values)}"[:width] + "\n"
        for label, past, values in rows
    )


def _ends(window: Sequence[float], values: Sequence[float]) -> str:
    known = short(float(f"{window[-1]:.4g}")) if len(window) else "?"
    return f"{known} → {short(float(f'{values[-1]:.4g}')) if len(values) else '?'}"
