"""Judgements of a blind test: kept in a file of JSON lines, counted, and weighed."""

import json
import math
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import DataError

_LEVEL = 0.95  # of an interval
_HALVINGS = 50  # of the range that a bound lies in


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater thinks of two outputs, of two models or of a model and a person.

    choice: who wrote the better one, or `same`.  machine: who the rater takes for the machine, ""
    if nobody asked.
    """

    time: str
    rater: str
    models: tuple[str, str]
    source: str
    outputs: tuple[str, str]
    choice: str
    machine: str = ""

    def line(self) -> str:
        """Return what a file of judgements has of it."""
        return json.dumps({k: v for k, v in asdict(self).items() if k != "machine" or v}) + "\n"


class Judgements:
    """All ratings of a pair of writers, those of earlier days too. Safe to use from threads.

    Args:
        models: what the two are called.
        path: the file that keeps the ratings; in memory if not given.
        human: whether the second is a person, so that raters may be asked who the machine is.
    """

    def __init__(self, models: tuple[str, str], path: Path | None, *, human: bool = False) -> None:
        self.models, self.human = models, human
        self._path = path
        self._lock = threading.Lock()
        self._ratings: dict[tuple[str, str], Rating] = {}
        text = _text_of(path) if path and path.exists() else ""
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
                line = ("\n" if self._torn else "") + rating.line()
                _append(self._path, line.encode())
                self._torn = False
            self._ratings[rating.rater, rating.source] = rating
            return True

    def summary(self) -> dict[str, Any]:
        """Count wins; give the share of the first among decided ratings, and how sure it is.

        share = wins / n, its exact 95 % interval by Clopper & Pearson 1934, and the two-sided sign
        test p = 2 P(X <= min(wins, losses)), X binomial with n draws of 1/2. `machine` has the same
        of the guesses, where a share of 1/2 is chance.
        """
        ratings = list(self._ratings.values())
        choices = [rating.choice for rating in ratings]
        first, second = (choices.count(name) for name in self.models)
        told = {
            "models": list(self.models),
            "wins": dict(zip(self.models, (first, second), strict=True)),
            "same": choices.count("same"),
            **_share(first, second),
            "ratings": len(choices),
        }
        if not self.human:
            return told
        guesses = [rating.machine for rating in ratings if rating.machine]
        right = guesses.count(self.models[0])
        wrong = len(guesses) - right
        return told | {"machine": {"right": right, "wrong": wrong, **_share(right, wrong)}}


def _share(wins: int, losses: int) -> dict[str, float | None]:
    n = wins + losses
    low, high = clopper_pearson(wins, n)
    share = wins / n if n else None
    return {"share": share, "low": low, "high": high, "p": sign_test(wins, losses)}


def clopper_pearson(wins: int, n: int, level: float = _LEVEL) -> tuple[float, float]:
    """Return the exact interval of a share: the shares that a two-sided test does not refuse.

        P(X >= wins | low) = P(X <= wins | high) = (1 - level) / 2,     X binomial with n draws

    Clopper & Pearson 1934 (doi:10.1093/biomet/26.4.404).

    >>> [round(x, 4) for x in clopper_pearson(8, 10)], clopper_pearson(0, 0)
    ([0.4439, 0.9748], (0.0, 1.0))
    """
    tail = (1 - level) / 2
    low = _where(lambda p: 1 - _at_most(wins - 1, n, p) < tail) if wins else 0.0
    high = _where(lambda p: _at_most(wins, n, p) > tail) if wins < n else 1.0
    return low, high


def _where(below: Callable[[float], bool]) -> float:
    """Return the number from 0 to 1 up to which `below` holds."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


def _at_most(k: int, n: int, p: float) -> float:
    """Return P(X <= k), X binomial with n draws of p, 0 < p < 1."""
    steps = np.arange(1, n + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log(n + 1 - steps) - np.log(steps))])  # log C(n, i)
    i = np.arange(k + 1)
    return float(np.exp(ways[: k + 1] + i * np.log(p) + (n - i) * np.log1p(-p)).sum())


def sign_test(wins: int, losses: int) -> float:
    """Return how likely so uneven a count is if both are as good.

    >>> sign_test(8, 2), sign_test(3, 3)
    (0.109375, 1.0)
    """
    n, few = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(few + 1))
    return float(min(2 * tail / (1 << n), 1.0))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: cannot be read ({error}); expected lines that `saccade serve` wrote; name"
            " another file with --judgements."
        ) from None


def _read(line: str, where: str) -> Rating:
    try:
        raw = json.loads(line)
        first, second = raw["models"]
        left, right = raw["outputs"]
        rating = Rating(**{**raw, "models": (first, second), "outputs": (left, right)})
        texts = (rating.time, rating.rater, rating.source, rating.choice, rating.machine)
        if not all(isinstance(one, str) for one in (*texts, first, second, left, right)):
            raise ValueError("a value that is no text")
        return rating
    except (ValueError, TypeError, KeyError, RecursionError) as error:
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
