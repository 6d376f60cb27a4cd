"""What a model thought of writing at every step: the likeliest symbols and how undecided it was."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saccade.views import axes, svg
from saccade.views.words import label, pad, shorten, widest

_REACH = 520.0  # pixels of probability 1
_STEP = 28.0
_METER = 90.0  # pixels of the largest entropy
_BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Choice:
    """One step: what was written, its probability, the likeliest symbols, and the entropy in bits.

    H = - sum_v p[v] log2 p[v]        over the whole vocabulary
    """

    written: str
    probability: float
    likeliest: Sequence[tuple[str, float]]
    entropy: float


def to_svg(choices: Sequence[Choice], *, title: str = "") -> str:
    """Draw a bar for each step, cut into the likeliest symbols; what was written is the darkest.

    The blank end of a bar is what all other symbols share. At the right stands the entropy.
    """
    names = [shorten(label(choice.written), axes.LONGEST) for choice in choices]
    left = max((svg.pixels(name) for name in names), default=0.0) + 30
    above = 74.0 if title else 44.0
    meter = left + _REACH + 24
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body.append(svg.text(left, above - 10, "probability of the next symbol", kind="small"))
    body.append(svg.text(meter, above - 10, "entropy in bits", kind="small"))
    most = max((c.entropy for c in choices if np.isfinite(c.entropy)), default=0.0)
    for i, (name, choice) in enumerate(zip(names, choices, strict=True)):
        y = above + i * _STEP
        body.append(svg.text(left - 10, y + _STEP / 2 + 4.5, name, anchor="end"))
        body.append(_bar(left, y + 2, choice))
        body.append(_entropy(meter, y + 2, choice.entropy, most))
    width = max(meter + _METER + 70, svg.pixels(title) * 1.2 + 40)
    height = above + len(choices) * _STEP + 20
    return svg.document(width, height, "".join(body), name=title or "next-symbol distributions")


def to_terminal(choices: Sequence[Choice], *, width: int = 100) -> str:
    """Write a line for each step: the entropy as a block and a number, then the likeliest symbols.

    What was written is in brackets; it is added at the end if it is not among the likeliest.
    """
    axes.check_width("distribution.to_terminal", width)
    names = [label(choice.written) for choice in choices]
    margin = min(widest(names), axes.LONGEST, width // 3)
    most = max((c.entropy for c in choices if np.isfinite(c.entropy)), default=0.0)
    lines = []
    for name, choice in zip(names, choices, strict=True):
        said = "  ".join(_said(word, p, choice) for word, p in _shown(choice))
        part = choice.entropy / most if most > 0 and np.isfinite(choice.entropy) else 0.0
        block = _BLOCKS[round(part * 8)]
        figure = f"{_figure(choice.entropy):>5} {block}"
        lines.append(shorten(f"{pad(name, margin, right=True)} {figure} {said}", width).rstrip())
    head = pad("bits", margin + 6, right=True) + "   likeliest symbols"
    return "".join(f"{line}\n" for line in [shorten(head, width), *lines])


def _shown(choice: Choice) -> list[tuple[str, float]]:
    shown = list(choice.likeliest)
    if choice.written not in [word for word, _ in shown]:
        shown.append((choice.written, choice.probability))
    return shown


def _said(word: str, probability: float, choice: Choice) -> str:
    said = f"{label(word)} {_figure(probability)}"
    return f"[{said}]" if word == choice.written else said


def _figure(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "?"


def _bar(x: float, y: float, choice: Choice) -> str:
    high = _STEP - 6
    frame = f'height="{svg.number(high)}" rx="3"'
    drawn = [
        f'<rect class="rule" fill="none" x="{svg.number(x)}" y="{svg.number(y)}" '
        f'width="{svg.number(_REACH)}" {frame}/>'
    ]
    for word, probability in _shown(choice):
        if not probability > 0 or not np.isfinite(probability):
            continue
        wide = min(probability, 1.0) * _REACH
        written = word == choice.written
        tip = f"{label(word)}: {probability:.4f}{', written' if written else ''}"
        drawn.append(
            f'<rect class="hue" fill-opacity="{0.36 if written else 0.14}" x="{svg.number(x)}" '
            f'y="{svg.number(y)}" width="{svg.number(max(wide - 1, 0.5))}" {frame}>'
            f"{svg.tip(tip)}</rect>"
        )
        if svg.pixels(label(word)) + 10 <= wide:
            drawn.append(svg.text(x + 6, y + high / 2 + 4, label(word), kind="small"))
        x += wide
    return "".join(drawn)


def _entropy(x: float, y: float, entropy: float, most: float) -> str:
    if not np.isfinite(entropy):
        return svg.text(x, y + 15, "not finite", kind="small")
    wide = max(entropy / most, 0.0) * _METER if most > 0 else 0.0
    bar = (
        f'<rect class="f1" fill-opacity="0.75" x="{svg.number(x)}" y="{svg.number(y + 5)}" '
        f'width="{svg.number(max(wide, 1.0))}" height="{svg.number(_STEP - 16)}" rx="2">'
        f"{svg.tip(f'{entropy:.4f} bits')}</rect>"
    )
    return bar + svg.text(x + wide + 8, y + 15, f"{entropy:.2f}", kind="small")
