"""Trellises: states above the places that they are likely at, with the chosen path.

Those of CTC spell a text over frames; those of a hidden Markov model are tags over words.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, pad, shorten, widest

Grid = npt.NDArray[np.float64]
BLANK = "–"  # what a blank is called
_TALL = 22.0
_MOST = 2000  # frames of a picture
_SHADES = " ·░▒▓█"


def states_of(labels: Sequence[str]) -> list[str]:
    """Name the states: a blank, label 1, a blank, label 2, ..., a blank.

    >>> states_of(["a", "b"])
    ['–', 'a', '–', 'b', '–']
    """
    return [BLANK, *(name for one in labels for name in (label(one), BLANK))]


def to_svg(posteriors: Grid, labels: Sequence[str], path: Sequence[int], *, title: str = "") -> str:
    """Draw a cell for every state at every frame, the likelier the darker, and the best path.

    Args:
        posteriors: `[S, 2L + 1]`, how likely each state is at each frame, given the text.
        labels: the L labels.
        path: the state of the chosen path at each frame.
        title: stands above.
    """
    names, n = _checked(posteriors, labels, path), len(path)
    wide, tips = _width(n), [f"frame {t + 1}" for t in range(n)]
    below = [(0.0, f"frames 1 to {n}")]
    look = _Look(wide, tips, below, title, title or "trellis of CTC")
    return _drawn(posteriors, names, path, look)


class _Look(NamedTuple):
    """How a trellis is drawn: width of a place, tips, words below with their x, and titles."""

    wide: float
    tips: Sequence[str]
    below: Sequence[tuple[float, str]]
    title: str
    name: str


def _drawn(posteriors: Grid, names: Sequence[str], path: Sequence[int], look: _Look) -> str:
    """Draw a row for each state, a column for each place."""
    wide, title = look.wide, look.title
    left = max(svg.pixels(shorten(name, axes.LONGEST)) for name in names) + 30
    above = 64.0 if title else 24.0
    body = [svg.text(20, 30, title, kind="title")] if title else []
    for s, name in enumerate(names):
        y = above + s * _TALL
        shown = shorten(name, axes.LONGEST)
        body.append(svg.text(left - 10, y + _TALL / 2 + 4.5, shown, anchor="end"))
        for t, p in enumerate(posteriors[:, s].tolist()):
            if p >= 0.005:
                tip = svg.tip(f"{look.tips[t]}, {name}: {p:.3f}")
                place = f'x="{svg.number(left + t * wide)}" y="{svg.number(y + 1)}"'
                size = f'width="{svg.number(wide)}" height="{svg.number(_TALL - 2)}"'
                fill = f'class="hue" fill-opacity="{svg.number(0.05 + 0.9 * min(p, 1.0))}"'
                body.append(f"<rect {fill} {place} {size}>{tip}</rect>")
    points = " ".join(
        f"{svg.number(left + (t + 0.5) * wide)},{svg.number(above + (s + 0.5) * _TALL)}"
        for t, s in enumerate(path)
    )
    body.append(f'<polyline class="line s1" points="{points}"/>')
    bottom = above + len(names) * _TALL
    body += [svg.text(left + x, bottom + 16, words, kind="small") for x, words in look.below]
    width = max(left + len(path) * wide + 20, svg.pixels(title) * 1.2 + 40)
    return svg.document(width, bottom + 30, "".join(body), name=look.name)


def states_svg(
    posteriors: Grid,
    states: Sequence[str],
    words: Sequence[str],
    path: Sequence[int],
    *,
    title: str = "",
) -> str:
    """Draw how likely each state is at each word, and the chosen path; without unlikely states.

    Args:
        posteriors: `[S, K]`, how likely each state is at each word, given all words.
        states: the K states.
        words: what stands at the S places.
        path: the chosen state of each word.
        title: stands above.
    """
    kept, names, way = _likely(posteriors, states, words, path)
    shown = [shorten(label(word), axes.LONGEST) for word in words]
    wide = max([*(svg.pixels(word) for word in shown), 24.0]) + 8
    below = [(t * wide + 4, word) for t, word in enumerate(shown)]
    look = _Look(wide, [label(word) for word in words], below, title, title or "trellis")
    return _drawn(kept, names, way, look)


def states_terminal(
    posteriors: Grid,
    states: Sequence[str],
    words: Sequence[str],
    path: Sequence[int],
    *,
    width: int = 100,
) -> str:
    """Write a line for each state, a column for each word, in per cent; `*` marks the path."""
    axes.check_width("trellis.states_terminal", width)
    kept, names, way = _likely(posteriors, states, words, path)
    margin = min(widest(names), axes.LONGEST, width // 3)
    column = min(max(widest([label(word) for word in words]), 4), 14, max(width - margin - 1, 4))
    room = max((width - margin) // (column + 1), 1)
    panels = []
    for start in range(0, len(way), room):
        places = range(start, min(start + room, len(way)))
        head = [pad(shorten(label(words[t]), column), column, right=True) for t in places]
        lines = [" ".join([" " * margin, *head])]
        for s, name in enumerate(names):
            cells = [_cell(kept[t, s], chosen=way[t] == s) for t in places]
            shown = pad(shorten(name, margin), margin, right=True)
            lines.append(" ".join([shown, *(cell.rjust(column) for cell in cells)]).rstrip())
        panels.append("\n".join(lines))
    return "\n\n".join(panels) + "\n"


def _cell(p: float, *, chosen: bool) -> str:
    shown = f"{100 * p:.0f}" if p >= 0.005 else ""
    return f"{shown}{'*' if chosen else ' '}"


def _likely(
    posteriors: Grid, states: Sequence[str], words: Sequence[str], path: Sequence[int]
) -> tuple[Grid, list[str], list[int]]:
    """Keep the states that are likely somewhere or on the path: of each, its name."""
    if posteriors.shape != (len(words), len(states)) or not 0 < len(path) == len(words) <= _MOST:
        raise ShapeError(
            f"trellis: found posteriors of shape {posteriors.shape} and a path of {len(path)} for"
            f" {len(states)} states and {len(words)} words; expected a row a word, up to {_MOST},"
            " and a column a state. Give those of this sentence."
        )
    kept = [s for s in range(len(states)) if s in path or posteriors[:, s].max() >= 0.005]
    return posteriors[:, kept], [label(states[s]) for s in kept], [kept.index(s) for s in path]


def spikes_svg(posteriors: Grid, labels: Sequence[str], *, title: str = "") -> str:
    """Draw how likely each label is at each frame, given the text: a line that rises at its place.

    Blanks, all together, are the thin line behind.
    """
    names, wide = _checked(posteriors, labels, [0] * len(posteriors)), _width(len(posteriors))
    tall, left, above = 120.0, 44.0, 84.0 if title else 44.0
    body = [svg.text(20, 30, title, kind="title")] if title else []

    def line(values: npt.NDArray[np.float64], look: str, tip: str) -> str:
        points = " ".join(
            f"{svg.number(left + (t + 0.5) * wide)},{svg.number(above + tall * (1 - value))}"
            for t, value in enumerate(np.clip(values, 0.0, 1.0).tolist())
        )
        return f'<polyline {look} points="{points}">{svg.tip(tip)}</polyline>'

    body.append(line(posteriors[:, ::2].sum(axis=1), 'class="axis" fill="none"', "blank"))
    for i, name in enumerate(names[1::2]):
        values, colour = posteriors[:, 2 * i + 1], i % svg.N_COLOURS
        body.append(line(values, f'class="line s{colour}"', name))
        peak = left + (int(values.argmax()) + 0.5) * wide
        body.append(svg.text(peak, above - 8 - 14 * (i % 2), shorten(name, 10), anchor="middle"))
    for share in (0, 1):
        y = above + tall * (1 - share) + 4
        body.append(svg.text(left - 8, y, f"{share}", anchor="end", kind="small"))
    body.append(svg.text(left, above + tall + 18, f"frames 1 to {len(posteriors)}", kind="small"))
    width = max(left + len(posteriors) * wide + 24, svg.pixels(title) * 1.2 + 40)
    return svg.document(width, above + tall + 32, "".join(body), name=title or "spikes of CTC")


def to_terminal(
    posteriors: Grid, labels: Sequence[str], path: Sequence[int], *, width: int = 100
) -> str:
    """Write a line for each state, a column for each frame; the chosen path is `x`.

    Frames beyond the width are written below, in panels.
    """
    axes.check_width("trellis.to_terminal", width)
    names = _checked(posteriors, labels, path)
    margin = min(widest(names), axes.LONGEST, width // 3)
    room = max(width - margin - 1, 1)
    panels = []
    for start in range(0, len(path), room):
        lines = []
        for s, name in enumerate(names):
            cells = "".join(
                "x" if path[t] == s else _SHADES[round(min(posteriors[t, s], 1.0) * 5)]
                for t in range(start, min(start + room, len(path)))
            )
            lines.append(f"{pad(name, margin, right=True)} {cells}".rstrip())
        panels.append("\n".join(lines))
    return "\n\n".join(panels) + "\n"


def _width(n_frames: int) -> float:
    """Return how wide a frame is drawn."""
    return min(max(900.0 / max(n_frames, 1), 3.0), 24.0)


def _checked(posteriors: Grid, labels: Sequence[str], path: Sequence[int]) -> list[str]:
    names = states_of(labels)
    if posteriors.shape != (len(path), len(names)) or not 0 < len(path) <= _MOST:
        raise ShapeError(
            f"trellis: found posteriors of shape {posteriors.shape} for {len(labels)} labels and a"
            f" path of {len(path)} frames; expected a row a frame, up to {_MOST}, and two columns a"
            " label and one. Give fewer frames, or those of this text."
        )
    return names
