"""Series made of a trend, two seasons and noise: a forecasting task whose best error is known."""

import math
from collections.abc import Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_HELD_OUT = 1000


class Seasons(Corpus):
    """Pieces of noisy seasonal series, as text of numbers, with how each goes on.

        x[t] = level + slope t + a sin(2 pi t / 12 + p) + b sin(2 pi t / 5 + q) + noise e[t]

    Every piece is a series of its own: level in [-5, 5], slope in [-0.05, 0.05], a in [1, 3], b in
    [0, 1], any phases p and q, and e normal. No forecast of the mean can have an RMSE below
    `noise`.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 4000,
        window: int = 48,
        horizon: int = 12,
        noise: float = 0.2,
    ) -> None:
        check_size("seasons", size)
        if min(window, horizon) < 1 or noise < 0:
            raise RecipeError(
                f"seasons: window {window}, horizon {horizon}, noise {noise:g}; expected numbers"
                " of places from 1 on and a noise from 0 on. Change them."
            )
        self._seed, self._size, self._noise = seed, size, noise
        self._window, self._horizon = window, horizon

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (window, horizon) of distinct pieces of the split."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            places = [f"{x:.3f}" for x in self._piece(dice)]
            source = " ".join(places[: self._window])
            if source not in seen and split_of(source) == split:
                seen.add(source)
                yield source, " ".join(places[self._window :])

    def _piece(self, dice: Dice) -> list[float]:
        level, slope = _between(dice, -5, 5), _between(dice, -0.05, 0.05)
        a, b = _between(dice, 1, 3), _between(dice, 0, 1)
        p, q = _between(dice, 0, math.tau), _between(dice, 0, math.tau)
        return [
            level
            + slope * t
            + a * math.sin(math.tau * t / 12 + p)
            + b * math.sin(math.tau * t / 5 + q)
            + self._noise * _normal(dice)
            for t in range(self._window + self._horizon)
        ]


def _between(dice: Dice, low: float, high: float) -> float:
    return low + (high - low) * dice.below(1 << 30) / (1 << 30)


def _normal(dice: Dice) -> float:
    """Draw from the standard normal distribution (Box & Muller 1958)."""
    u, v = (dice.below(1 << 30) + 1) / (1 << 30), dice.below(1 << 30) / (1 << 30)
    return math.sqrt(-2 * math.log(u)) * math.cos(math.tau * v)
