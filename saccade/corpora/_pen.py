"""A hand that writes texts in the single-stroke alphabet, each with a style of its own.

Chance is made of sums and products of `random()` and of hashes, so a seed gives the same hand
everywhere.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import shake_256

import numpy as np

from saccade.corpora._dice import Dice
from saccade.corpora._letters import Points, curve, glyph
from saccade.modalities._strokes import Strokes

_UNIT = 10.0  # how high a step of the alphabet's grid is
_SPREAD = 0.15  # of the points of a letter, in steps
_TREMBLE = 0.05  # of every point that is written, in steps
_STEP = 1.6  # between two points that are written, in steps
_DRAWN = 1 << 11  # numbers that are drawn for a text; a long one has them again
Noise = Callable[[int], Points]


@dataclass(frozen=True, slots=True)
class Hand:
    """A style of writing.

    slant: steps to the right for each upwards.  size, breadth: of all letters, and of their width.
    spacing: between letters, in steps.  rise: of the line of writing.  speed: how far apart the
    points are.  joins: how likely two small letters are joined.
    """

    slant: float
    size: float
    breadth: float
    spacing: float
    rise: float
    speed: float
    joins: float

    @classmethod
    def of(cls, dice: Dice) -> "Hand":
        """Draw a style: half of all hands print, the others join most letters."""
        slant, size, breadth, spacing, rise, speed = (_bell(dice) for _ in range(6))
        return cls(
            slant=0.15 + 0.2 * slant,
            size=1 + 0.1 * size,
            breadth=1 + 0.1 * breadth,
            spacing=1.6 + 0.25 * spacing,
            rise=0.02 * rise,
            speed=1 + 0.1 * speed,
            joins=dice.pick((0.0, 0.85)),
        )


def written(text: str, dice: Dice) -> Strokes:
    """Write a text; what `dice` shows decides on the hand and on every point."""
    hand, noise = Hand.of(dice), _noise(dice.below(1 << 30))
    strokes: list[list[Points]] = []
    x, before = 0.0, ""
    for character in text:
        one = glyph(character)
        joined = _joined(before, character) and dice.chance(hand.joins)
        for number, pieces in enumerate(one.strokes):
            moved = _moved(pieces, x, noise)
            if joined and number == 0:
                strokes[-1].append(np.stack([strokes[-1][-1][-1], moved[0][0]]))
                strokes[-1].extend(moved)
            else:
                strokes.append(moved)
        x += one.width + hand.spacing
        before = character
    return Strokes.of([_traced(pieces, hand, noise) for pieces in strokes])


def _bell(dice: Dice) -> float:
    """Draw a number with mean 0 and variance 1, never beyond 3.5: a sum of four uniform ones."""
    return (sum(dice.below(1 << 30) for _ in range(4)) / (1 << 30) - 2.0) * math.sqrt(3.0)


def _joined(before: str, here: str) -> bool:
    """Tell whether two characters can be joined: small letters, of which the first is one line."""
    small = before.islower() and here.islower()
    return small and len(glyph(before).strokes) == 1


def _moved(pieces: tuple[Points, ...], x: float, noise: Noise) -> list[Points]:
    """Put a stroke where it belongs, its points a little elsewhere; pieces stay together."""
    found: list[Points] = []
    for piece in pieces:
        shaken = piece + _SPREAD * noise(len(piece))
        shaken[:, 0] += x
        if found:
            shaken[0] = found[-1][-1]
        found.append(shaken)
    return found


def _traced(pieces: list[Points], hand: Hand, noise: Noise) -> Points:
    """Follow a stroke and set a point after every step of the pen, `[n, 2]`."""
    found: list[Points] = []
    for piece in pieces:
        fine = curve(len(piece)) @ piece  # [m, 2]
        steps = np.sqrt(np.square(fine[1:] - fine[:-1]).sum(axis=1))
        gone = np.zeros(len(fine))
        steps.cumsum(out=gone[1:])  # [m]
        n = max(int(gone[-1] / (_STEP * hand.speed) + 0.5), 1)
        at = (gone[-1] / n) * np.arange(1 if found else 0, n + 1)
        row = np.empty((len(at), 2))
        row[:, 0], row[:, 1] = (np.interp(at, gone, fine[:, axis]) for axis in (0, 1))
        found.append(row)
    points = np.concatenate(found)
    points += _TREMBLE * noise(len(points))
    x, y = hand.breadth * points[:, 0], points[:, 1]
    drawn = np.column_stack([x + hand.slant * y, -(y + hand.rise * x)])  # down is positive
    return np.round(_UNIT * hand.size * drawn, 1)


def _noise(seed: int) -> Noise:
    """Return a source of `[n, 2]` numbers as `_bell` draws them."""
    key, used = seed.to_bytes(4, "big"), 0
    raw = np.frombuffer(shake_256(key).digest(8 * _DRAWN), dtype="<u2").reshape(-1, 4)
    pool = ((raw.sum(axis=1) / (1 << 16) - 2.0) * math.sqrt(3.0)).reshape(-1, 2)

    def draw(n: int) -> Points:
        nonlocal used
        used += n
        return np.take(pool, np.arange(used - n, used), axis=0, mode="wrap")

    return draw
