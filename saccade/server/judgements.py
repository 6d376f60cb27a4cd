"""Judgements of a blind test: kept in a file of JSON lines, counted, and weighed."""

import json
import math
import os
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from saccade.errors import DataError

_Z = 1.959964  # of a normal distribution, 95 % lie within


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater thinks of two models' outputs; `choice` is a model's name or `same`."""

    time: str
    rater: str
    models: tuple[str, str]
    source: str
    outputs: tuple[str, str]
    choice: str


class Judgements:
    """All ratings of a pair of models, those of earlier days too. Safe to use from threads."""

    def __init__(self, models: tuple[str, str], path: Path | None) -> None:
        self.models = models
        self._path = path
        self._lock = threading.Lock()
        self._ratings: dict[tuple[str, str], Rating] = {}
        text = path.read_text(encoding="utf-8") if path and path.exists() else ""
        self._torn = bool(text) and not text.endswith("\n")  # a line that was cut off
        for number, line in enumerate(text.split("\n")[:-1], start=1):
            rating = _read(line, f"{path}:{number}") if line.strip() else None
            if rating and set(rating.models) == set(models):
                self._ratings[rating.rater, rating.source] = rating

    def knows(self, rater: str, source: str) -> bool:
        """Tell whether a rater has judged a sentence."""
        return (rater, source) in self._ratings

    def add(self, rating: Rating) -> bool:
        """Write a rating down, unless the rater has judged this sentence before."""
        with self._lock:
            if self.knows(rating.rater, rating.source):
                return False
            if self._path:
                line = ("\n" if self._torn else "") + json.dumps(asdict(rating)) + "\n"
                _append(self._path, line.encode())
                self._torn = False
            self._ratings[rating.rater, rating.source] = rating
            return True

    def summary(self) -> dict[str, Any]:
        """Count wins; give the share of the first model among decided ratings, and how sure it is.

        share = wins / n, its 95 % interval by Wilson 1927, and the two-sided sign test
        p = 2 P(X <= min(wins, losses)), X binomial with n draws of 1/2.
        """
        choices = [rating.choice for rating in list(self._ratings.values())]
        first, second = (choices.count(name) for name in self.models)
        low, high = wilson(first, first + second)
        return {
            "models": list(self.models),
            "wins": dict(zip(self.models, (first, second), strict=True)),
            "same": choices.count("same"),
            "share": first / (first + second) if first + second else None,
            "low": low,
            "high": high,
            "p": sign_test(first, second),
            "ratings": len(choices),
        }


def wilson(wins: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share.

    >>> [round(x, 3) for x in wilson(8, 10)], wilson(0, 0)
    ([0.49, 0.943], (0.0, 1.0))
    """
    if not n:
        return 0.0, 1.0
    share, square = wins / n, _Z * _Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def sign_test(wins: int, losses: int) -> float:
    """Return how likely so uneven a count is if both are as good.

    >>> sign_test(8, 2), sign_test(3, 3)
    (0.109375, 1.0)
    """
    n, few = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(few + 1))
    return float(min(2 * tail / (1 << n), 1.0))


def _read(line: str, where: str) -> Rating:
    try:
        raw = json.loads(line)
        first, second = raw["models"]
        left, right = raw["outputs"]
        return Rating(**{**raw, "models": (first, second), "outputs": (left, right)})
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{where}: not a judgement ({error}); expected a line that `saccade serve` wrote; take"
            " it out, or name another file with --judgements."
        ) from None


def _append(path: Path, line: bytes) -> None:
    """Add a line in one write, so that lines of two servers do not mix."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, line)
    finally:
        os.close(file)
