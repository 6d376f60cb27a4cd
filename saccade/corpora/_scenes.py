"""Scenes of two coloured shapes: what stands where, how it is said, and how it is drawn.

All is whole-number arithmetic on a grid four times as fine as the picture, so a scene gives the
same pixels on every machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b, shake_256
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Split

Pixels = NDArray[np.uint8]  # [H, W, 3]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are the first outside."""

SIDE = 40  # pixels of a picture, each way
SHAPES = ("circle", "square", "triangle", "cross")
COLOURS: Mapping[str, tuple[int, int, int]] = {
    "red": (214, 44, 40),
    "green": (40, 150, 62),
    "blue": (44, 84, 214),
    "yellow": (238, 200, 32),
    "purple": (150, 52, 178),
    "black": (28, 28, 32),
}
SIZES: Mapping[str, tuple[int, int]] = {"small": (13, 15), "": (21, 23), "large": (29, 31)}
"""The word for a size, and the least and largest half width in quarters of a pixel."""

_FINE = 4  # steps to a pixel
_GAP = 2 * _FINE  # between two shapes, at least
_PALEST, _DARKEST = 235, 165  # of the paper
_JITTER = 16  # by how much a channel of a colour differs from the list, at most
_GRAIN = 9  # by how much noise changes a channel, at most
_WORDS = {("x", True): "left of", ("x", False): "right of", ("y", True): "above"} | {
    ("y", False): "below"
}


@dataclass(frozen=True, slots=True)
class SceneFigure:
    """One shape. `x`, `y` and `half`, its half width, are quarters of a pixel."""

    shape: str
    colour: str
    size: str
    x: int
    y: int
    half: int

    @property
    def words(self) -> tuple[str, ...]:
        """How it is said: the size only if it is small or large."""
        return ("a", *((self.size,) if self.size else ()), self.colour, self.shape)

    @property
    def box(self) -> Box:
        """The pixels it touches."""
        left, top = (self.x - self.half) // _FINE, (self.y - self.half) // _FINE
        right, bottom = -(-(self.x + self.half) // _FINE), -(-(self.y + self.half) // _FINE)
        return left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Scene:
    """Two shapes, side by side or one above the other, and the number that its noise is made of.

    `before` is the upper or the left one.
    """

    axis: Literal["x", "y"]
    before: SceneFigure
    behind: SceneFigure
    noise: int

    @property
    def ordered(self) -> tuple[SceneFigure, SceneFigure]:
        """Return the shape that is named first, then the other.

        The larger one is named first; of two equal ones the upper or the left one. So every picture
        has one caption.
        """
        swapped = _rank(self.behind) > _rank(self.before)
        return (self.behind, self.before) if swapped else (self.before, self.behind)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the caption."""
        first, second = self.ordered
        relation = _WORDS[self.axis, first is self.before]
        return (*first.words, *relation.split(), *second.words)

    @property
    def caption(self) -> str:
        """What there is to see, as `a red circle above a small blue square`."""
        return " ".join(self.words)

    @property
    def regions(self) -> dict[str, Box]:
        """The box of each shape, by the words that name it in the caption, without the article."""
        return {" ".join(figure.words[1:]): figure.box for figure in self.ordered}

    def draw(self) -> Pixels:
        """Draw the scene on grainy paper: `[40, 40, 3]`."""
        key = f"shapes {self.noise}".encode()
        drawn = np.frombuffer(shake_256(key).digest(SIDE * SIDE * 3 + 7), dtype=np.uint8)
        grain = drawn.astype(np.int64)  # 0 to 255
        shade = _DARKEST + int(grain[0]) * (_PALEST - _DARKEST) // 255
        canvas = np.full((SIDE, SIDE, 3), shade, dtype=np.int64)
        for figure, jitter in ((self.before, grain[1:4]), (self.behind, grain[4:7])):
            _paint(canvas, figure, jitter)
        canvas += grain[7:].reshape(SIDE, SIDE, 3) * (2 * _GRAIN + 1) // 256 - _GRAIN
        return canvas.clip(0, 255).astype(np.uint8)


def scene_of(split: Split, number: int, seed: int = 1) -> Scene:
    """Return scene `number` of a split; the same on every machine, whatever came before it.

    The caption alone decides which split a scene belongs to, so no caption is in two of them.
    """
    trials = (scene(f"{seed} {split} {number} {trial}") for trial in count())
    return next(found for found in trials if split_of(found.caption) == split)


def scene(key: str) -> Scene:
    """Make up a scene; the same key gives the same one on every machine."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=8).digest())
    dice = Dice(number)
    axis: Literal["x", "y"] = dice.pick(("x", "y"))
    one = (dice.pick(SHAPES), dice.pick(tuple(COLOURS)))
    other = one
    while other == one:
        other = (dice.pick(SHAPES), dice.pick(tuple(COLOURS)))
    sizes = (dice.pick(tuple(SIZES)), dice.pick(tuple(SIZES)))
    halves = (_half(dice, sizes[0]), _half(dice, sizes[1]))
    along, across = _places(dice, *halves)
    spots = [(a, b) if axis == "x" else (b, a) for a, b in zip(along, across, strict=True)]
    before = SceneFigure(*one, sizes[0], *spots[0], halves[0])
    return Scene(axis, before, SceneFigure(*other, sizes[1], *spots[1], halves[1]), number)


def _rank(figure: SceneFigure) -> int:
    return tuple(SIZES).index(figure.size)


def _half(dice: Dice, size: str) -> int:
    least, largest = SIZES[size]
    return least + dice.below(largest - least + 1)


def _places(dice: Dice, one: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two places along the axis of the relation, then the two across it.

    Along it there is a gap between the shapes; across it their middles are at most half as far
    apart as along it, so that the relation is plain to see.
    """
    end = SIDE * _FINE
    slack = end - 2 * one - 2 * other - _GAP
    first, second = sorted((dice.below(slack + 1), dice.below(slack + 1)))
    along = one + first, 2 * one + _GAP + other + second
    reach = (along[1] - along[0]) // 2
    across = one + dice.below(end - 2 * one + 1)
    least, most = max(other, across - reach), min(end - other, across + reach)
    return along, (across, least + dice.below(most - least + 1))


def _paint(canvas: NDArray[np.int64], figure: SceneFigure, jitter: NDArray[np.int64]) -> None:
    """Lay a shape over the canvas; a pixel takes the colour as far as the shape covers it."""
    left, top, right, bottom = figure.box
    ink = np.array(COLOURS[figure.colour]) + jitter * (2 * _JITTER + 1) // 256 - _JITTER
    fine_x = 2 * (np.arange(left * _FINE, right * _FINE) - figure.x) + 1  # halves of a fine step
    fine_y = 2 * (np.arange(top * _FINE, bottom * _FINE) - figure.y)[:, None] + 1
    found = inside(figure.shape, fine_x, fine_y, 2 * figure.half)
    tiles = found.reshape(bottom - top, _FINE, right - left, _FINE)
    covered = tiles.sum(axis=(1, 3))[:, :, None]  # [h, w, 1], of 16
    patch = canvas[top:bottom, left:right]
    patch += (ink - patch) * covered // _FINE**2


def inside(shape: str, x: NDArray[np.int64], y: NDArray[np.int64], half: int) -> NDArray[np.bool_]:
    """Tell which of the points belong to a shape about (0, 0) that fills its box."""
    within = (abs(x) <= half) & (abs(y) <= half)
    if shape == "circle":
        return x * x + y * y <= half * half
    if shape == "triangle":
        return within & (2 * abs(x) <= y + half)
    if shape == "cross":
        return within & ((3 * abs(x) <= half) | (3 * abs(y) <= half))
    return within
