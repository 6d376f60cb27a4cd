"""Attention as threads: the source above, the target below, a curve for every weight."""

from collections.abc import Sequence

import numpy as np

from saccade.views import axes, svg
from saccade.views.weights import Weights, checked, placed, share, spoken, top_of
from saccade.views.words import label, pad, sentence, shorten

_GAP = 18.0  # pixels between neighbouring words
_DROP = 130.0  # pixels between the two rows
_EDGE = 24.0
_LONGEST = 18


def to_svg(
    weights: Weights,
    source: Sequence[str],
    target: Sequence[str],
    *,
    title: str = "",
    faintest: float = 0.04,
) -> str:
    """Join every target word to the source words it looked at.

        opacity = weight / top        width = 1 + 5 weight / top

    Weights below `faintest`, and those that are not finite, get no thread.
    """
    found = checked("lines.to_svg", weights, source, target)
    heads = [shorten(label(word), _LONGEST) for word in source]
    feet = [shorten(label(word), _LONGEST) for word in target]
    inner = max(_extent(heads), _extent(feet), svg.pixels(title) * 1.2)
    above = 36 + (28 if title else 0)
    across, along = _centres(heads, inner), _centres(feet, inner)
    top = top_of(found)
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for i, j in sorted(np.ndindex(*found.shape), key=lambda at: share(float(found[at]), top)):
        weight = float(found[i, j])
        if np.isfinite(weight) and weight >= faintest:
            tip = f"{label(source[j])} → {label(target[i])}: {spoken(weight)}"
            part, data = share(weight, top), placed(i, j, weight)
            body.append(_thread((across[j], along[i]), above + 9, part, tip, data))
    body += [svg.text(x, above, w, anchor="middle") for x, w in zip(across, heads, strict=True)]
    foot = above + _DROP + 32
    body += [svg.text(x, foot, w, anchor="middle") for x, w in zip(along, feet, strict=True)]
    name = title or f"attention from {sentence(target)} to {sentence(source)}"
    return svg.document(inner + 2 * _EDGE, foot + 24, "".join(body), name=name)


def to_terminal(
    weights: Weights,
    source: Sequence[str],
    target: Sequence[str],
    *,
    width: int = 100,
    faintest: float = 0.04,
) -> str:
    """Write a line for each target word: the source words it looked at, most first.

    >>> print(to_terminal(np.array([[0.9, 0.1]]), ["le", "chat"], ["the"]), end="")
    the ← le 0.90  chat 0.10
    """
    axes.check_width("lines.to_terminal", width)
    found = checked("lines.to_terminal", weights, source, target)
    rows = [label(word) for word in target]
    margin = axes.margin_of(rows, width)
    lines = []
    for row, values in zip(rows, found, strict=True):
        seen = [j for j, value in enumerate(values) if np.isfinite(value) and value >= faintest]
        seen.sort(key=lambda j: -float(values[j]))
        said = "  ".join(f"{label(source[j])} {spoken(float(values[j]))}" for j in seen)
        lines.append(shorten(f"{pad(row, margin, right=True)} ← {said}".rstrip(), width))
    return "".join(f"{line}\n" for line in lines)


def to_html(
    weights: Weights, source: Sequence[str], target: Sequence[str], *, title: str = ""
) -> str:
    """Return the threads as a fragment that scrolls sideways on a narrow screen."""
    picture = to_svg(weights, source, target, title=title)
    return f'<figure style="margin:0 0 1rem">{svg.scroller(picture)}</figure>'


def _extent(labels: list[str]) -> float:
    return sum(map(svg.pixels, labels)) + _GAP * max(len(labels) - 1, 0)


def _centres(labels: list[str], inner: float) -> list[float]:
    """Spread the words over the width, keeping the space between neighbours equal."""
    gaps = max(len(labels) - 1, 1)
    gap = _GAP + min((inner - _extent(labels)) / gaps, 3 * _GAP)
    x = _EDGE + (inner - sum(map(svg.pixels, labels)) - gap * (len(labels) - 1)) / 2
    centres = []
    for word in labels:
        centres.append(x + svg.pixels(word) / 2)
        x += svg.pixels(word) + gap
    return centres


def _thread(ends: tuple[float, float], y: float, part: float, tip: str, data: str) -> str:
    start, middle, end = (svg.number(y + _DROP * at) for at in (0.0, 0.5, 1.0))
    a, b = map(svg.number, ends)
    return (
        f'<path class="thread" {data} d="M{a} {start}C{a} {middle} {b} {middle} {b} {end}" '
        f'stroke-width="{svg.number(1 + 5 * part)}" stroke-opacity="{svg.number(part)}">'
        f"{svg.tip(tip)}</path>"
    )
