"""A story and where a model looked in it: a line for each sentence, a column for each hop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.drawing import Drawing, colourless
from saccade.views.words import clean, columns, escape, pad, shorten, widest

_SHADES = "·░▒▓█"
_STEP, _CELL, _LONGEST = 26.0, 64.0, 72  # pixels of a line and of a cell; columns of a sentence
MARK = "*"  # before a sentence that the answer follows from


@dataclass(frozen=True, slots=True)
class StoryMaps:
    """A question, its answer, and how much each hop looked at each sentence.

    maps: the weights `[N]` of every hop, by its name.  first: the number of the first sentence,
    which is not 1 where a long story lost its beginning.  supporting: the numbers of the sentences
    that the answer follows from, where somebody knows.
    """

    sentences: tuple[str, ...]
    maps: Mapping[str, Any]
    question: str = ""
    answer: str = ""
    first: int = 1
    supporting: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, weights in self.maps.items():
            if np.shape(weights) != (len(self.sentences),):
                raise ShapeError(
                    f"story: {name} has weights of shape {np.shape(weights)}; expected"
                    f" ({len(self.sentences)},), one for each sentence. Give whole stories."
                )

    @property
    def title(self) -> str:
        """Question and answer."""
        return f"{self.question} → {self.answer}".strip()

    @property
    def numbers(self) -> list[int]:
        """The numbers of the sentences."""
        return list(range(self.first, self.first + len(self.sentences)))


def draw_story(one: StoryMaps, *, said: str = "") -> Drawing:
    """Draw a story for every place."""
    return Drawing(
        "Story",
        lambda: to_svg(one),
        colourless(lambda width: to_terminal(one, width=width)),
        said=said,
    )


def to_terminal(one: StoryMaps, *, width: int = 100) -> str:
    """Write a line for each sentence: its mark, number and text, and a shade for each hop."""
    names = [clean(name) for name in one.maps]
    cells = [max(columns(name), 6) + 2 for name in names]
    digits = len(str(one.numbers[-1])) if one.sentences else 1
    room = max(width - sum(cells) - digits - 4, 10)
    texts = [shorten(clean(text), room) for text in one.sentences]
    wide = widest(texts)
    heads = "".join(pad(name, cell, right=True) for name, cell in zip(names, cells, strict=True))
    lines = [shorten(clean(one.title), width), " " * (digits + 4 + wide) + heads]
    for i, (number, text) in enumerate(zip(one.numbers, texts, strict=True)):
        mark = MARK if number in one.supporting else " "
        shades = "".join(
            pad(_shade(float(weights[i])), cell, right=True)
            for weights, cell in zip(one.maps.values(), cells, strict=True)
        )
        lines.append(f"{mark} {number:>{digits}}  {pad(text, wide)}{shades}".rstrip())
    if one.supporting:
        lines.append(f"{MARK} the answer follows from these")
    return "\n".join(lines) + "\n"


def to_svg(one: StoryMaps) -> str:
    """Draw the same with a cell for each weight; what the answer follows from has a bar before it.

    opacity = 0.04 + 0.5 weight, so that numbers can be read on it
    """
    texts = [
        f"{number}  {shorten(clean(text), _LONGEST)}"
        for number, text in zip(one.numbers, one.sentences, strict=True)
    ]
    left, above = 34.0, 70.0
    edge = left + max((svg.pixels(text) for text in texts), default=0.0) + 16
    body = [svg.text(20, 30, one.title, kind="title")]
    for k, name in enumerate(one.maps):
        x = edge + (k + 0.5) * _CELL
        body.append(svg.text(x, above - 10, clean(name), anchor="middle", kind="small"))
    for i, (number, text) in enumerate(zip(one.numbers, texts, strict=True)):
        y = above + i * _STEP
        if number in one.supporting:
            place = f'x="20" y="{svg.number(y + 4)}" width="5" height="{svg.number(_STEP - 8)}"'
            body.append(f'<rect class="f1" {place}>{svg.tip("supports the answer")}</rect>')
        body.append(svg.text(left, y + _STEP / 2 + 4.5, text))
        row: Sequence[float] = [float(weights[i]) for weights in one.maps.values()]
        body += [
            _cell(edge + k * _CELL, y, weight, f"{name}: {weight:.3f}")
            for k, (name, weight) in enumerate(zip(one.maps, row, strict=True))
        ]
    bottom = above + len(texts) * _STEP
    if one.supporting:
        body.append(
            f'<rect class="f1" x="20" y="{svg.number(bottom + 12)}" width="5" height="12"/>'
        )
        told = "the answer follows from these sentences"
        body.append(svg.text(left, bottom + 22, told, kind="small"))
        bottom += 26
    width = max(edge + len(one.maps) * _CELL + 20, svg.pixels(one.title) * 1.2 + 40)
    return svg.document(width, bottom + 16, "".join(body), name=f"story: {one.title}")


def _cell(x: float, y: float, weight: float, told: str) -> str:
    opacity = svg.number(0.04 + 0.5 * min(max(weight, 0.0), 1.0))
    place = f'x="{svg.number(x + 2)}" y="{svg.number(y + 2)}"'
    size = f'width="{svg.number(_CELL - 4)}" height="{svg.number(_STEP - 4)}"'
    shape = f'<rect class="hue" {place} {size} fill-opacity="{opacity}">{svg.tip(told)}</rect>'
    if weight < 0.05:
        return shape
    at = f'x="{svg.number(x + _CELL / 2)}" y="{svg.number(y + _STEP / 2 + 4)}"'
    number = escape(f"{weight:.2f}")
    return f'{shape}<text {at} text-anchor="middle" class="small">{number}</text>'


def _shade(weight: float) -> str:
    """Write a weight with its shade, as `▓ 0.71`; one below 0.05 is only a dot."""
    level = min(int(max(weight, 0.0) * len(_SHADES)), len(_SHADES) - 1)
    return f"{_SHADES[level]} {weight:.2f}" if weight >= 0.05 else _SHADES[0]
