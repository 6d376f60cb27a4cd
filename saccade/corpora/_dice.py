"""Chance that is the same on every machine: all draws are made from `random.Random.random` alone.

The standard library promises the sequence of `random()` for a seed across versions; it does not
promise that of `choice` or `shuffle`.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws from lists with a seed.

    >>> Dice(1).pick("abc") == Dice(1).pick("abc")
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return int(self._random() * n)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, all equally likely."""
        return items[int(self._random() * len(items))]

    def chance(self, probability: float) -> bool:
        """Return True with the probability given."""
        return self._random() < probability

    def weighted(self, items: Sequence[tuple[float, T]]) -> T:
        """Return one item of (weight, item) pairs, in proportion to its weight."""
        left = self._random() * sum(weight for weight, _ in items)
        for weight, item in items:
            left -= weight
            if left < 0:
                return item
        return items[-1][1]
