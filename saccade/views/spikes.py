"""Spikes: a line for every symbol that rises where it is, over the sound or the line of print.

A model of frames marks a label in a frame or two; attention is a hill. The picture below shows what
was there.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import RecipeError, ShapeError
from saccade.modalities import _png
from saccade.modalities._photo import LARGEST
from saccade.modalities._picture import as_picture, to_text
from saccade.views import axes, svg
from saccade.views.drawing import AttentionMap, Drawing, colourless
from saccade.views.heatmap import SHADES
from saccade.views.spectrogram import spectrum_of
from saccade.views.weights import Weights, share, spoken, top_of
from saccade.views.words import columns, label, pad, sentence, shorten

Floats = npt.NDArray[np.float64]

_AIM, _NARROW, _WIDE = 760.0, 2.0, 48.0  # pixels of the picture, and of a place
_TALL, _LEAST, _MOST = 120.0, 48.0, 200.0  # pixels of height: a sound, and a line of print
_LEFT = 44.0
_ROOM = 7  # letters of a symbol that stands above its spike
_LINES = 5  # of what lies below, in a terminal
_HEIGHTS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, eq=False)
class Backdrop:
    """What lies below spikes: how dark it is, `[H, W]` from 0 to 1, and the same as a data URI.

    ratio: height by width; 0 for a height of its own.  marks: what stands below, each at its share
    of the width.
    """

    dark: Floats
    uri: str
    ratio: float = 0.0
    marks: tuple[tuple[float, str], ...] = ()


def draw(view: str, one: AttentionMap) -> Drawing:
    """Draw the weights of a map as spikes over its source; `view` says what that is."""
    if len(one.grid) > 1 and one.grid[0] > 1:
        raise RecipeError(
            f"inspect: spikes stand along a line, but the places of this source form a grid of"
            f" {one.grid[0]} rows; expected a sound, a line of print or text. Use --view attention."
        )
    backdrop = {"spectrogram": _sound, "picture": _print}.get(view, _text)(one)
    weights = np.asarray(one.weights, dtype=np.float64)
    return Drawing(
        "Spikes",
        lambda: to_svg(weights, one.target, backdrop, title=one.title),
        colourless(lambda width: to_terminal(weights, one.target, backdrop, width=width)),
        said=one.said,
    )


def to_svg(
    weights: Weights, words: Sequence[str], backdrop: Backdrop | None, *, title: str = ""
) -> str:
    """Draw a line for every symbol over the backdrop, with the symbol above its highest point.

    Args:
        weights: `[T, S]`, over S places of equal length.
        words: T symbols.
        backdrop: what was read, as wide as the S places.
        title: stands above all.
    """
    found, top = _checked("spikes.to_svg", weights, words)
    n = found.shape[1]
    cell = min(max(_AIM / n, _NARROW), _WIDE)
    wide = cell * n
    tall = min(max(wide * backdrop.ratio, _LEAST), _MOST) if backdrop else _TALL
    tall = tall if backdrop and backdrop.ratio else _TALL
    above = (44.0 if title else 16.0) + 34
    body = [svg.text(20, 30, title, kind="title")] if title else []
    place = (
        f'x="{svg.number(_LEFT)}" y="{svg.number(above)}" width="{svg.number(wide)}"'
        f' height="{svg.number(tall)}"'
    )
    if backdrop and backdrop.uri:
        body.append(
            f'<image href="{backdrop.uri}" {place} opacity="0.5" preserveAspectRatio="none"/>'
        )
    body.append(f'<rect class="rule" fill="none" {place}/>')
    for i, row in enumerate(found):
        body.append(_spike(i, words[i], row / top, (above, tall, cell)))
    for where, mark in backdrop.marks if backdrop else ():
        x = _LEFT + where * wide
        body.append(svg.text(x, above + tall + 16, mark, anchor="middle", kind="small"))
    for y, value in ((above + tall, "0"), (above, f"{top:g}")):
        body.append(svg.text(_LEFT - 6, y + 4, value, anchor="end", kind="small"))
    whole = max(_LEFT + wide + 24, svg.pixels(title) * 1.2 + 40)
    name = title or f"where the model placed {sentence(words)}"
    return svg.document(whole, above + tall + 30, "".join(body), name=name)


def to_terminal(
    weights: Weights, words: Sequence[str], backdrop: Backdrop | None, *, width: int = 100
) -> str:
    """Write symbols above where they are, the height of their spikes, and what was read below."""
    axes.check_width("spikes.to_terminal", width)
    found, top = _checked("spikes.to_terminal", weights, words)
    room = min(width, 2 * found.shape[1])
    edges = np.arange(room) * found.shape[1] // room
    spread = (
        found[:, edges] if room >= found.shape[1] else np.maximum.reduceat(found, edges, axis=1)
    )
    heights = (share(float(v), top) for v in spread.max(axis=0, initial=0.0))
    lines = [*_names(spread, words, room), "".join(_HEIGHTS[round(h * 8)] for h in heights)]
    if backdrop and backdrop.dark.size:
        across = np.arange(room) * backdrop.dark.shape[1] // room
        for row in np.array_split(backdrop.dark[:, across], min(_LINES, len(backdrop.dark))):
            dark = row.mean(axis=0)
            lines.append("".join(SHADES[round(float(d) * (len(SHADES) - 1))][0] for d in dark))
    if backdrop and backdrop.marks:
        lines.append(_marks(backdrop.marks, room))
    scale = f"full height: {top:.2g}"[:width]
    return "\n".join([*(line.rstrip() for line in lines), "", scale]) + "\n"


def _sound(one: AttentionMap) -> Backdrop:
    spectrum = spectrum_of(one.raw)
    dark = spectrum.levels.T[::-1]  # [F, T], high bands first
    marks = tuple((where, f"{time:g} s") for time, where in spectrum.marks(10))
    return Backdrop(dark, _grey(dark), marks=marks)


def _print(one: AttentionMap) -> Backdrop:
    picture = as_picture(one.raw, most=LARGEST)
    height, width = picture.pixels.shape[:2]
    dark = 1 - picture.pixels.mean(axis=2) / 255.0
    return Backdrop(dark, to_text(picture), height / width)


def _text(one: AttentionMap) -> Backdrop:
    n = max(len(one.source), 1)
    marks = tuple(((i + 0.5) / n, shorten(label(s), _ROOM)) for i, s in enumerate(one.source))
    return Backdrop(np.zeros((0, n)), "", marks=marks)


def _grey(dark: Floats) -> str:
    pixels = np.asarray(np.rint(255 * (1 - dark)), dtype=np.uint8)[:, :, None]
    return f"data:image/png;base64,{b64encode(_png.encode(pixels)).decode('ascii')}"


def _spike(order: int, word: str, row: Floats, box: tuple[float, float, float]) -> str:
    """Draw one line and its symbol; `box` is the upper edge, the height and a place's width."""
    above, tall, cell = box
    name, peak = label(word), int(row.argmax())
    heights = np.concatenate([[0.0], np.clip(row, 0.0, 1.0), [0.0]])
    middles = np.concatenate([[0.0], np.arange(len(row)) + 0.5, [float(len(row))]])
    near = np.convolve(heights > 0.002, np.ones(3), "same") > 0  # what lies flat is not drawn
    points = " ".join(
        f"{svg.number(_LEFT + x * cell)},{svg.number(above + tall * (1 - h))}"
        for x, h in zip(middles[near], heights[near], strict=True)
    )
    tip = svg.tip(f"{name}: {spoken(float(row[peak]))} of the height, place {peak + 1}")
    colour = order % svg.N_COLOURS
    text = svg.text(
        _LEFT + (peak + 0.5) * cell,
        above - 6 - 14 * (order % 2),
        shorten(name, _ROOM),
        anchor="middle",
    )
    line = f'<polyline data-row="{order}" class="line s{colour}" points="{points}">{tip}</polyline>'
    return line + text.replace("<text ", f'<text data-row="{order}" ', 1)


def _names(spread: Floats, words: Sequence[str], room: int) -> list[str]:
    """Write every symbol above its spike, in two lines by turns; what has no room is left out."""
    lines = ["", ""]
    for i, (word, row) in enumerate(zip(words, spread, strict=True)):
        place, line = int(row.argmax()), lines[i % 2]
        shown = shorten(label(word), _ROOM)
        if place >= columns(line) and place + columns(shown) <= room:
            lines[i % 2] = pad(line, place) + shown
    return [line for line in lines if line]


def _marks(marks: Sequence[tuple[float, str]], room: int) -> str:
    line = ""
    for where, mark in marks:
        place = int(where * room)
        if place + columns(mark) <= room and (not line or place > columns(line)):
            line = pad(line, place) + mark
    return line


def _checked(where: str, weights: Weights, words: Sequence[str]) -> tuple[Floats, float]:
    found = np.asarray(weights, dtype=np.float64)
    if found.ndim != 2 or len(found) != len(words) or not found.shape[1]:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(words)} symbols need"
            f" [{len(words)}, S]; pass a weight for every place, for each symbol."
        )
    found = np.where(np.isfinite(found), found, 0.0).clip(min=0.0)
    return found, top_of(found)
