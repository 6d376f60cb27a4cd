"""Windows that slide along the source: at each step, bells with a centre, a width and a height.

    bell k at step t covers  kappa[t, k] +- 1 / sqrt(beta[t, k])  with height alpha[t, k]

Graves 2013 (arXiv:1308.0850), section 5.1. Places count from 1, as in the paper.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.ticks import drawable, short
from saccade.views.words import label, pad, sentence

_SHADES = "·░▒▓█"
_HIGH = 0.62  # of a cell that a bar takes


@dataclass(frozen=True, slots=True)
class Bell:
    """One component of a window: height, sharpness and centre."""

    alpha: float
    beta: float
    kappa: float

    @property
    def reach(self) -> float:
        """How far it reaches to each side."""
        return 1 / math.sqrt(self.beta) if drawable(self.beta) and self.beta > 0 else math.nan

    @property
    def has_place(self) -> bool:
        """Tell whether it can be drawn."""
        return all(map(drawable, (self.alpha, self.kappa, self.reach))) and self.alpha > 0


Window = Sequence[Bell]


def to_svg(
    windows: Sequence[Window], source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Draw a row for each step: a bar over the places that each bell covers.

        opacity = alpha / largest alpha

    What reaches beyond the source is cut at its edge, and bells that lie beyond it are not drawn.
    The line joins the highest bells.
    """
    _check("windows.to_svg", windows, target)
    frame = axes.framed(source, target, title=title, least=18.0)
    body = frame.words(title)
    for i in range(len(target) + 1):
        y = svg.number(frame.above + i * frame.cell)
        ends = f'x1="{svg.number(frame.left)}" x2="{svg.number(frame.right)}"'
        body.append(f'<line class="rule" {ends} y1="{y}" y2="{y}"/>')
    top = _top(windows)
    body += [_row(frame, t, window, top) for t, window in enumerate(windows)]
    body.append(_path(frame, windows))
    said = "bar: centre ± width of a bell, darker if higher; line: the highest"
    body.append(svg.text(frame.left, frame.bottom + 24, said, kind="small"))
    name = title or f"windows of {sentence(target)} over {sentence(source)}"
    width = frame.width(title, least=svg.pixels(said) * 0.9)
    return svg.document(width, frame.bottom + 42, "".join(body), name=name)


def to_terminal(
    windows: Sequence[Window], source: Sequence[str], target: Sequence[str], *, width: int = 100
) -> str:
    """Draw two columns for each place, shaded by the highest bell over it, whose centre is `◆`.

    A source too long for `width` is broken into panels, one below the other.
    """
    axes.check_width("windows.to_terminal", width)
    _check("windows.to_terminal", windows, target)
    rows, heads = [label(word) for word in target], [label(word) for word in source]
    margin = axes.margin_of(rows, width)
    per_panel = (width - margin - 1) // 2
    top = _top(windows)
    panels = []
    for start in range(0, len(heads), per_panel):
        shown = heads[start : start + per_panel]
        lines = axes.downwards(shown, margin, 2)
        for row, window in zip(rows, windows, strict=True):
            places = range(start + 1, start + len(shown) + 1)
            cells = "".join(_cell(window, place, top, len(heads)) for place in places)
            lines.append(f"{pad(row, margin, right=True)} {cells}".rstrip())
        panels.append("\n".join(lines))
    return (
        "\n\n".join([*panels, "· ░ ▒ ▓ █ height of a bell, ◆ centre of the highest"[:width]]) + "\n"
    )


def centre(window: Window, n_places: int) -> float | None:
    """Return where a window stands: the centre of its highest bell over the source, if any is.

    >>> centre([Bell(3.0, 1.0, 2.0), Bell(1.0, 1.0, 6.0), Bell(9.0, 1.0, 99.0)], 10)
    2.0
    """
    drawn = [b for b in window if b.has_place and 0.5 <= b.kappa <= n_places + 0.5]
    return max(drawn, key=lambda bell: bell.alpha).kappa if drawn else None


def _check(where: str, windows: Sequence[Window], target: Sequence[str]) -> None:
    if len(windows) != len(target):
        raise ShapeError(
            f"{where}: {len(windows)} windows; {len(target)} target words need {len(target)}; pass "
            "one window for each target word."
        )


def _top(windows: Sequence[Window]) -> float:
    return max((bell.alpha for w in windows for bell in w if bell.has_place), default=1.0)


def _row(frame: axes.Frame, t: int, window: Window, top: float) -> str:
    drawn = []
    high = frame.cell * _HIGH
    y = frame.above + t * frame.cell + (frame.cell - high) / 2
    for k, bell in enumerate(window):
        if not bell.has_place:
            continue
        x1, x2 = (_along(frame, bell.kappa + side * bell.reach) for side in (-1, 1))
        if x1 >= frame.right or x2 <= frame.left:
            continue
        tip = (
            f"step {t + 1}, bell {k + 1}: centre {short(bell.kappa)}, "
            f"± {short(bell.reach)}, height {short(bell.alpha)}"
        )
        part = svg.number(0.08 + 0.72 * min(bell.alpha / top, 1.0))
        data = f'data-step="{t + 1}" data-centre="{bell.kappa:.4g}" data-value="{bell.alpha:.4g}"'
        drawn.append(
            f'<rect class="hue" fill-opacity="{part}" {data} x="{svg.number(x1)}" '
            f'y="{svg.number(y)}" width="{svg.number(max(x2 - x1, 2.0))}" '
            f'height="{svg.number(high)}" rx="{svg.number(high / 3)}">{svg.tip(tip)}</rect>'
        )
    return "".join(drawn)


def _along(frame: axes.Frame, place: float) -> float:
    """Return where a place lies, from 1, cut at the edges."""
    return min(max(frame.left + (place - 0.5) * frame.cell, frame.left), frame.right)


def _path(frame: axes.Frame, windows: Sequence[Window]) -> str:
    """Draw the way that the highest bell goes, step by step."""
    steps, dots, pen = [], [], "M"
    for t, window in enumerate(windows):
        middle = centre(window, len(frame.heads))
        if middle is None:
            pen = "M"
            continue
        x, y = svg.number(_along(frame, middle)), svg.number(frame.above + (t + 0.5) * frame.cell)
        steps.append(f"{pen}{x} {y}")
        pen = "L"
        dots.append(f'<circle class="f1" cx="{x}" cy="{y}" r="3"/>')
    line = f'<path class="line s1" d="{"".join(steps)}"/>' if steps else ""
    return line + "".join(dots)


def _cell(window: Window, place: int, top: float, n_places: int) -> str:
    """Shade a place by the highest bell that covers it."""
    covering = [
        bell.alpha
        for bell in window
        if bell.has_place and abs(bell.kappa - place) <= max(bell.reach, 0.5)
    ]
    shade = _SHADES[round(min(max(covering, default=0.0) / top, 1.0) * 4)]
    middle = centre(window, n_places)
    here = middle is not None and abs(middle - place) < 0.5
    return ("◆" if here else shade) + shade
