"""Attention as threads: the source above, the target below, a curve for every weight."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from saccade.views import axes, svg
from saccade.views.weights import Weights, checked, placed, share, spoken, top_of
from saccade.views.words import clean, escape, label, pad, sentence, shorten

_GAP = 18.0  # pixels between neighbouring words
_DROP = 130.0  # pixels between the two rows
_EDGE = 24.0
_LONGEST = 18
_ASIDE = 3.0  # pixels between threads of two maps
_NAME = 40  # columns of the name of a map


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
    return several_svg({"": found}, source, target, title=title, faintest=faintest)


def several_svg(
    maps: Mapping[str, Weights],
    source: Sequence[str],
    target: Sequence[str],
    *,
    title: str = "",
    rows: Collection[int] = (),
    faintest: float = 0.04,
) -> str:
    """Draw one map or several, on one scale; several have a colour each, and a key below.

    rows: the target words whose threads are drawn; all if none is given.
    """
    found = {name: checked("lines.several_svg", m, source, target) for name, m in maps.items()}
    heads = [shorten(label(word), _LONGEST) for word in source]
    feet = [shorten(label(word), _LONGEST) for word in target]
    key = _key(list(found)) if len(found) > 1 else []
    inner = max(
        _extent(heads), _extent(feet), svg.pixels(title) * 1.2, _key_width(list(found), key)
    )
    above = 36 + (28 if title else 0)
    across, along = _centres(heads, inner), _centres(feet, inner)
    top = max((top_of(one) for one in found.values()), default=1.0)
    threads: list[tuple[float, str]] = []
    for number, one in enumerate(found.values()):
        colour = f" s{number % svg.N_COLOURS}" if key else ""
        aside = _ASIDE * (number - (len(found) - 1) / 2)
        for i, j in np.ndindex(*one.shape):
            weight = float(one[i, j])
            if np.isfinite(weight) and weight >= faintest and (not rows or i in rows):
                tip = f"{label(source[j])} → {label(target[i])}: {spoken(weight)}"
                part, data = share(weight, top), placed(i, j, weight)
                data += f' data-map="{number}"' if key else ""
                ends = (across[j] + aside, along[i] + aside)
                threads.append((part, _thread(ends, above + 9, part, tip, data, colour)))
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body += [thread for _, thread in sorted(threads, key=lambda one: one[0])]
    foot = above + _DROP + 32
    body += ['<g data-side="source">', *_words(across, above, heads), "</g>"]
    body += ['<g data-side="target">', *_words(along, foot, feet), "</g>"]
    body += [part.format(y=svg.number(foot + 30), t=svg.number(foot + 34)) for part in key]
    name = title or f"attention from {sentence(target)} to {sentence(source)}"
    height = foot + (52 if key else 24)
    return svg.document(inner + 2 * _EDGE, height, "".join(body), name=name)


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
    found = checked("lines.to_terminal", weights, source, target)
    return several_terminal({"": found}, source, target, width=width, faintest=faintest)


def several_terminal(
    maps: Mapping[str, Weights],
    source: Sequence[str],
    target: Sequence[str],
    *,
    width: int = 100,
    rows: Collection[int] = (),
    faintest: float = 0.04,
) -> str:
    """Write the lines of one map or of several, each of these under its name.

    rows: the target words whose lines are written; all if none is given.
    """
    axes.check_width("lines.to_terminal", width)
    names = [label(word) for word in target]
    margin = axes.margin_of(names, width)
    lines = []
    for name, weights in maps.items():
        found = checked("lines.several_terminal", weights, source, target)
        lines += [shorten(clean(name), width)] if len(maps) > 1 else []
        for i, values in enumerate(found):
            if rows and i not in rows:
                continue
            seen = [j for j, value in enumerate(values) if np.isfinite(value) and value >= faintest]
            seen.sort(key=lambda j, values=values: -float(values[j]))  # type: ignore[misc]
            said = "  ".join(f"{label(source[j])} {spoken(float(values[j]))}" for j in seen)
            lines.append(shorten(f"{pad(names[i], margin, right=True)} ← {said}".rstrip(), width))
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


def _words(centres: list[float], y: float, words: list[str]) -> list[str]:
    return [svg.text(x, y, word, anchor="middle") for x, word in zip(centres, words, strict=True)]


def _key(names: list[str]) -> list[str]:
    """Draw which colour is which map, side by side; heights are filled in later."""
    drawn, x = [], _EDGE
    for number, name in enumerate(names):
        colour, end = number % svg.N_COLOURS, svg.number(x + 16)
        drawn.append(
            f'<g data-key="{number}">'
            f'<path class="line s{colour}" d="M{svg.number(x)} {{y}}H{end}" stroke-width="4"/>'
            f'<text class="small" x="{svg.number(x + 22)}" y="{{t}}">{_braced(name)}</text></g>'
        )
        x += svg.pixels(shorten(name, _NAME)) + 40
    return drawn


def _braced(name: str) -> str:
    return escape(shorten(name, _NAME)).replace("{", "{{").replace("}", "}}")


def _key_width(names: list[str], key: list[str]) -> float:
    return sum(svg.pixels(shorten(name, _NAME)) + 40 for name in names) if key else 0.0


def _thread(
    ends: tuple[float, float], y: float, part: float, tip: str, data: str, colour: str
) -> str:
    start, middle, end = (svg.number(y + _DROP * at) for at in (0.0, 0.5, 1.0))
    a, b = map(svg.number, ends)
    return (
        f'<path class="thread{colour}" {data} d="M{a} {start}C{a} {middle} {b} {middle} {b} {end}" '
        f'stroke-width="{svg.number(1 + 5 * part)}" stroke-opacity="{svg.number(part)}">'
        f"{svg.tip(tip)}</path>"
    )
