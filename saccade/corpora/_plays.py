"""Plays of two things that act one after the other: what happens, how it is said and drawn.

Every action has another that is the same one backwards: left and right, rising and falling,
growing and shrinking, appearing and vanishing; blinking is its own. So a play that is shown
backwards is another play, with other words, and whoever sees the frames without their order cannot
tell the two apart. All is whole-number arithmetic on a grid four times as fine as the frames.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, shake_256
from itertools import count

import numpy as np
from numpy.typing import NDArray

from saccade.corpora._dice import Dice
from saccade.corpora._digits import DIGITS, HIGH, WIDE, bitmap
from saccade.corpora._scenes import COLOURS, SHAPES, inside
from saccade.corpora._split import split_of
from saccade.corpora.base import Split

Frames = NDArray[np.uint8]  # [F, H, W, 3]
Box = tuple[int, int, int, int]

SIDE = 24  # pixels of a frame, each way
STEP = 100  # milliseconds from frame to frame
STILL = "still"
VERBS: Mapping[str, str] = {  # how an action is said, and what a frame of it is called
    "moves left": "left",
    "moves right": "right",
    "rises": "up",
    "falls": "down",
    "grows": "grows",
    "shrinks": "shrinks",
    "appears": "appears",
    "vanishes": "vanishes",
    "blinks": "blinks",
}
BACKWARDS: Mapping[str, str] = {
    "moves left": "moves right",
    "rises": "falls",
    "grows": "shrinks",
    "appears": "vanishes",
    "blinks": "blinks",
}
_WAYS = {"moves left": (-1, 0), "moves right": (1, 0), "rises": (0, -1), "falls": (0, 1)}
_FINE = 4  # steps to a pixel
_PACE = 7  # fine steps from frame to frame
_HALF = 14  # half width of a thing
_SMALL, _LARGE = 10, 20  # of one that grows or shrinks
_GAP = _FINE  # between two things
_INK = "black"  # of digits
_HUES = tuple(name for name in COLOURS if name != _INK)
_PALEST, _DARKEST = 240, 205  # of the paper
_GRAIN = 2  # levels of grey beside the paper's own, each way
_COARSE = 3  # by how much two levels differ
_COVERED = 16 * 20  # the full weight of ink: sixteen points a pixel, twenty shares of visibility


@dataclass(frozen=True, slots=True)
class Actor:
    """One thing, and what it does: from its frame `start` on, for `steps` frames.

    `x` and `y` are its middle before it acts.
    """

    shape: str
    colour: str
    verb: str
    start: int
    steps: int
    x: int
    y: int

    @property
    def end(self) -> int:
        """The last frame of its action."""
        return self.start + self.steps

    @property
    def phrase(self) -> str:
        """What it does, as `a red square falls`; digits have no colour."""
        named = [self.shape] if self.shape in DIGITS else [self.colour, self.shape]
        return " ".join(["a", *named, self.verb])

    def done(self, frame: int) -> int:
        """Return how many steps of its action are done in a frame."""
        return min(max(frame - self.start, 0), self.steps)

    def middle(self, done: int) -> tuple[int, int]:
        """Return where it is after so many steps."""
        across, down = _WAYS.get(self.verb, (0, 0))
        return self.x + across * _PACE * done, self.y + down * _PACE * done

    def half(self, done: int) -> int:
        """Return its half width after so many steps."""
        if self.verb not in ("grows", "shrinks"):
            return _HALF
        grown = done if self.verb == "grows" else self.steps - done
        return _SMALL + (_LARGE - _SMALL) * grown // self.steps

    def visible(self, done: int) -> int:
        """Return how much of its ink is seen after so many steps, of 20."""
        if self.verb == "blinks":
            return 20 if done % 2 == 0 else 0
        if self.verb not in ("appears", "vanishes"):
            return 20
        return 20 * (done if self.verb == "appears" else self.steps - done) // self.steps

    @property
    def swept(self) -> Box:
        """The fine box of all places where it ever is: left, top, right, bottom."""
        ends = [(*self.middle(done), self.half(done)) for done in (0, self.steps)]
        return (
            min(x - half for x, _, half in ends),
            min(y - half for _, y, half in ends),
            max(x + half for x, _, half in ends),
            max(y + half for _, y, half in ends),
        )


@dataclass(frozen=True, slots=True)
class Play:
    """Two actors in the order in which they act, and the number that the paper is made of."""

    first: Actor
    second: Actor
    n_frames: int
    paper: int

    @property
    def actors(self) -> tuple[Actor, Actor]:
        """Both, in order."""
        return self.first, self.second

    @property
    def caption(self) -> str:
        """What happens, as `a 3 moves left, then a red square falls`."""
        return f"{self.first.phrase}, then {self.second.phrase}"

    @property
    def events(self) -> dict[str, tuple[int, int]]:
        """The frames of each action, by its words: the first, and the first one behind it."""
        return {one.phrase: (one.start, one.end + 1) for one in self.actors}

    @property
    def labels(self) -> tuple[str, ...]:
        """What has changed in each frame since the one before it."""
        return tuple(self._label(frame) for frame in range(self.n_frames))

    def _label(self, frame: int) -> str:
        acting = (VERBS[a.verb] for a in self.actors if a.start < frame <= a.end)
        return next(acting, STILL)

    def draw(self) -> Frames:
        """Draw all frames, `[F, 24, 24, 3]`."""
        grain = np.frombuffer(
            shake_256(f"plays {self.paper}".encode()).digest(SIDE * SIDE + 1), dtype=np.uint8
        ).astype(np.int32)
        shade = _DARKEST + int(grain[0]) * (_PALEST - _DARKEST) // 255
        levels = (grain[1:] % (2 * _GRAIN + 1) - _GRAIN) * _COARSE
        paper = np.broadcast_to((shade + levels).reshape(SIDE, SIDE, 1), (SIDE, SIDE, 3))
        frames = np.repeat(paper[None], self.n_frames, axis=0)
        for frame, canvas in enumerate(frames):
            for actor in self.actors:
                _paint(canvas, actor, actor.done(frame))
        return frames.astype(np.uint8)


def play_of(split: Split, number: int, seed: int = 1) -> Play:
    """Return play `number` of a split; the same on every machine, whatever came before it.

    The caption alone decides which split a play belongs to, so no caption is in two of them.
    """
    trials = (play(f"{seed} {split} {number} {trial}") for trial in count())
    return next(found for found in trials if split_of(found.caption) == split)


def play(key: str) -> Play:
    """Make up a play; the same key gives the same one on every machine."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=8).digest())
    dice = Dice(number)
    one, other = _thing(dice), _thing(dice)
    while other == one:
        other = _thing(dice)
    verbs = dice.pick(tuple(VERBS)), dice.pick(tuple(VERBS))
    steps = _steps(dice, verbs[0]), _steps(dice, verbs[1])
    start = dice.below(2)
    after = start + steps[0] + dice.below(2)
    n_frames = after + steps[1] + 1 + dice.below(2)
    while True:
        first = _placed(dice, Actor(*one, verbs[0], start, steps[0], 0, 0))
        second = _placed(dice, Actor(*other, verbs[1], after, steps[1], 0, 0))
        if _apart(first.swept, second.swept):
            return Play(first, second, n_frames, number)


def _thing(dice: Dice) -> tuple[str, str]:
    """Draw a digit or a coloured shape, each as often."""
    if dice.chance(0.5):
        return dice.pick(DIGITS), _INK
    return dice.pick(SHAPES), dice.pick(_HUES)


def _steps(dice: Dice, verb: str) -> int:
    """Draw how long an action takes; who blinks is seen in the end."""
    return 4 if verb == "blinks" else 3 + dice.below(2)


def _placed(dice: Dice, actor: Actor) -> Actor:
    """Put an actor anywhere where it stays in sight."""
    left, top, right, bottom = actor.swept
    x = dice.below(SIDE * _FINE - (right - left) + 1) - left
    y = dice.below(SIDE * _FINE - (bottom - top) + 1) - top
    return Actor(actor.shape, actor.colour, actor.verb, actor.start, actor.steps, x, y)


def _apart(one: Box, other: Box) -> bool:
    return (
        one[2] + _GAP <= other[0]
        or other[2] + _GAP <= one[0]
        or one[3] + _GAP <= other[1]
        or other[3] + _GAP <= one[1]
    )


def _paint(canvas: NDArray[np.int32], actor: Actor, done: int) -> None:
    """Lay a thing over a frame; a pixel takes the colour as far as the thing covers it."""
    (x, y), half, visible = actor.middle(done), actor.half(done), actor.visible(done)
    if not visible:
        return
    covered = _coverage(actor.shape, x % _FINE, y % _FINE, half)
    left, top = (x - half) // _FINE, (y - half) // _FINE
    patch = canvas[top : top + covered.shape[0], left : left + covered.shape[1]]
    patch += (np.array(COLOURS[actor.colour]) - patch) * (covered * visible) // _COVERED


@lru_cache(maxsize=1 << 14)
def _coverage(shape: str, x: int, y: int, half: int) -> NDArray[np.int32]:
    """Count the fine points of each pixel that a shape covers: `[h, w, 1]`, of 16."""
    left, top = (x - half) // _FINE, (y - half) // _FINE
    right, bottom = -(-(x + half) // _FINE), -(-(y + half) // _FINE)
    fine_x = 2 * (np.arange(left * _FINE, right * _FINE) - x) + 1  # halves of a fine step
    fine_y = 2 * (np.arange(top * _FINE, bottom * _FINE) - y)[:, None] + 1
    points = _digit if shape in DIGITS else inside
    found = points(shape, fine_x, fine_y, 2 * half)
    tiles = found.reshape(bottom - top, _FINE, right - left, _FINE)
    return np.asarray(tiles.sum(axis=(1, 3), dtype=np.int32)[:, :, None])


def _digit(shape: str, x: NDArray[np.int64], y: NDArray[np.int64], half: int) -> NDArray[np.bool_]:
    """Tell which of the points belong to a digit about (0, 0) that is as high as its box."""
    row = (y + half) * HIGH // (2 * half)
    column = (HIGH * x + WIDE * half) // (2 * half)
    seen = (row >= 0) & (row < HIGH) & (column >= 0) & (column < WIDE)
    return np.asarray(seen & bitmap(shape)[row.clip(0, HIGH - 1), column.clip(0, WIDE - 1)])
