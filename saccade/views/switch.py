"""The copy switch: of each output word, how much was generated and how much was copied.

    p(w) = g P(w) + (1 - g) sum of a[s] over places s that hold w

See, Liu & Manning 2017 (arXiv:1704.04368), eq. 9; what is drawn is g, and 1 - g.
"""

from collections.abc import Sequence

import numpy as np

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, pad, shorten, widest

_REACH = 360.0  # pixels of a whole bar
_STEP = 26.0


def to_svg(words: Sequence[str], generating: Sequence[float], *, title: str = "") -> str:
    """Draw a bar for each word: at the left what was generated, at the right what was copied."""
    _check("switch.to_svg", words, generating)
    names = [shorten(label(word), axes.LONGEST) for word in words]
    left = max((svg.pixels(name) for name in names), default=0.0) + 30
    above = 74.0 if title else 44.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body.append(svg.text(left, above - 10, "generated", kind="small"))
    body.append(svg.text(left + _REACH, above - 10, "copied", anchor="end", kind="small"))
    for i, (name, word, g) in enumerate(zip(names, words, generating, strict=True)):
        y = above + i * _STEP
        body.append(svg.text(left - 10, y + _STEP / 2 + 4.5, name, anchor="end"))
        body.append(_bar(left, y + 3, i, word, g))
    half = svg.number(left + _REACH / 2)
    bottom = above + len(names) * _STEP
    body.append(
        f'<line class="axis" stroke-dasharray="2 4" x1="{half}" x2="{half}" '
        f'y1="{svg.number(above)}" y2="{svg.number(bottom)}"/>'
    )
    width = max(left + _REACH + 70, svg.pixels(title) * 1.2 + 40)
    return svg.document(width, bottom + 20, "".join(body), name=title or "copy switch")


def to_terminal(words: Sequence[str], generating: Sequence[float], *, width: int = 100) -> str:
    """Draw a bar for each word: `█` generated, `░` copied.

    >>> print(to_terminal(["the", "Ada"], [0.75, 0.0], width=20), end="")
    the █████████░░░ 25%
    Ada ░░░░░░░░░░░░ 100
    █ generated ░ copied
    """
    axes.check_width("switch.to_terminal", width)
    _check("switch.to_terminal", words, generating)
    names = [label(word) for word in words]
    margin = min(widest(names), axes.LONGEST, width // 3)
    room = width - margin - 5
    lines = []
    for name, g in zip(names, generating, strict=True):
        bar, said = "?" * room, "?"
        if np.isfinite(g):
            full = round(min(max(g, 0.0), 1.0) * room)
            bar, said = (
                "█" * full + "░" * (room - full),
                f"{100 * (1 - min(max(g, 0.0), 1.0)):.0f}%",
            )
        lines.append(f"{pad(name, margin, right=True)} {bar} {said[:3]}")
    return "".join(f"{line}\n" for line in [*lines, "█ generated ░ copied"])


def _check(where: str, words: Sequence[str], generating: Sequence[float]) -> None:
    if len(words) != len(generating):
        raise ShapeError(
            f"{where}: {len(generating)} values; {len(words)} words need {len(words)}; pass the "
            "share that was generated for each word."
        )


def _bar(x: float, y: float, place: int, word: str, generating: float) -> str:
    high = f'y="{svg.number(y)}" height="{svg.number(_STEP - 6)}" rx="3"'
    if not np.isfinite(generating):
        tip = svg.tip(f"{label(word)}: not finite")
        wide = f'x="{svg.number(x)}" width="{svg.number(_REACH)}"'
        return f'<rect class="void" {wide} {high}>{tip}</rect>'
    g = min(max(generating, 0.0), 1.0)
    data = f'data-place="{place}" data-value="{g:.4g}"'
    tip = svg.tip(f"{label(word)}: generated {g:.2f}, copied {1 - g:.2f}")
    drawn = []
    for start, part, look in ((0.0, g, "f0"), (g, 1 - g, "f1")):
        reach = part * _REACH - (1 if 0 < g < 1 else 0)
        if reach > 0:
            at = f'x="{svg.number(x + start * _REACH)}" width="{svg.number(reach)}"'
            drawn.append(f'<rect class="{look}" fill-opacity="0.7" {data} {at} {high}>{tip}</rect>')
    middle = y + (_STEP - 6) / 2 + 4
    copied = svg.text(x + _REACH + 10, middle, f"{100 * (1 - g):.0f}%", kind="small")
    return "".join(drawn) + copied
