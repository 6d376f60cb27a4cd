"""Something that moves on a plane, seen in noise: a task whose best error is known."""

import math
from collections.abc import Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_HELD_OUT = 1000
_AWAY, _FAST = 10.0, 1.0  # spread of where a track begins, and of its velocity


class Tracks(Corpus):
    """Places of a thing on a plane as they were seen, and as they were.

        v[t] = v[t-1] + push e[t]
        p[t] = p[t-1] + (v[t-1] + v[t]) / 2 + push f[t] / sqrt(12)
        y[t] = p[t] + noise g[t]

    e, f and g are normal: the thing is pushed all the time, and seen once a step. A source has
    three columns: where it was seen, and whether: 1, or 0 for a gap, at which the place is that of
    the last sight. A target has the two columns of p. Of a place, the chance of a gap is `gaps`,
    and that of a turn to any side, which no law foretells, is `turns`.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 2000,
        length: int = 40,
        noise: float = 1.0,
        push: float = 0.1,
        gaps: float = 0.2,
        turns: float = 0.0,
    ) -> None:
        check_size("tracks", size)
        if length < 2 or min(noise, push) < 0 or not (0 <= gaps < 1 and 0 <= turns <= 1):
            raise RecipeError(
                f"tracks: length {length}, noise {noise:g}, push {push:g}, gaps {gaps:g}, turns"
                f" {turns:g}; expected 2 places or more, spreads from 0 on, and chances from 0 to"
                " 1. Change them."
            )
        self._seed, self._size, self._length = seed, size, length
        self._noise, self._push, self._gaps, self._turns = noise, push, gaps, turns

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (what was seen, where it was) of distinct tracks of the split."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            source, target = self._track(dice)
            if source not in seen and split_of(source) == split:
                seen.add(source)
                yield source, target

    def _track(self, dice: Dice) -> tuple[str, str]:
        place = [_AWAY * _normal(dice) for _ in range(2)]
        speed = [_FAST * _normal(dice) for _ in range(2)]
        read, written, sight = [], [], ""
        for t in range(self._length):
            if t:
                place, speed = self._step(dice, place, speed)
            x, y = (p + self._noise * _normal(dice) for p in place)
            gap = dice.chance(self._gaps) and t > 0
            sight = sight if gap else f"{x:.3f},{y:.3f}"
            read.append(f"{sight},{0 if gap else 1}")
            written.append(f"{place[0]:.3f},{place[1]:.3f}")
        return " ".join(read), " ".join(written)

    def _step(
        self, dice: Dice, place: list[float], speed: list[float]
    ) -> tuple[list[float], list[float]]:
        if dice.chance(self._turns):
            angle = math.tau * dice.below(1 << 30) / (1 << 30)
            size = math.hypot(*speed)
            speed = [size * math.cos(angle), size * math.sin(angle)]
        faster = [v + self._push * _normal(dice) for v in speed]
        less = self._push / math.sqrt(12)  # what pushes between two sights do beside that
        moved = [
            p + (v + w) / 2 + less * _normal(dice)
            for p, v, w in zip(place, speed, faster, strict=True)
        ]
        return moved, faster


def _normal(dice: Dice) -> float:
    """Draw from the standard normal distribution (Box & Muller 1958)."""
    u, v = (dice.below(1 << 30) + 1) / (1 << 30), dice.below(1 << 30) / (1 << 30)
    return math.sqrt(-2 * math.log(u)) * math.cos(math.tau * v)
