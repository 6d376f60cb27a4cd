"""What a model has learned from, in short: what its guards compare new text with.

trigrams     how often each sequence of three characters stood in the source (the commonest)
usual        how common the trigrams of a line are, in bands of its length
ratios       target pieces to source pieces, in bands of source pieces
longest      source pieces that all but one in a thousand lines stay under
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import CheckpointError
from saccade.guards.bands import Band, measure

FORMAT = 1
_KEPT = 20_000  # trigrams
_HELD = 10  # every so many-th line is measured, and not counted before
_FEW = 200  # lines below which none are held out
_SHARE = 0.001  # of usual lines, left out at either end


@dataclass(frozen=True, slots=True)
class Profile:
    """What was usual in training."""

    n_lines: int
    n_trigrams: int
    trigrams: Mapping[str, int]
    usual: tuple[Band, ...]
    ratios: tuple[Band, ...]
    longest: int

    def commonness(self, text: str) -> float:
        """Return how common the trigrams of a line are: mean log2 of their frequency.

        mean over i of log2((count(text[i : i + 3]) + 1/2) / N)
        """
        return commonness(self.trigrams, self.n_trigrams, text)

    def unseen(self, text: str) -> tuple[str, ...]:
        """Return the trigrams of a line, in their order, that never stood in training."""
        return tuple(gram for gram in trigrams_of(text) if gram not in self.trigrams)

    def to_json(self) -> str:
        """Write all as JSON."""
        return json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, where: str) -> "Profile":
        """Read what `to_json` wrote; `where` is for messages."""
        try:
            found: dict[str, Any] = json.loads(text)
            return cls(
                n_lines=int(found["n_lines"]),
                n_trigrams=int(found["n_trigrams"]),
                trigrams={str(gram): int(n) for gram, n in found["trigrams"].items()},
                usual=tuple(Band(**band) for band in found["usual"]),
                ratios=tuple(Band(**band) for band in found["ratios"]),
                longest=int(found["longest"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{where}: damaged ({error}); expected the profile of a model's training data."
                " Copy the model folder again, or delete this file: its guards are silent then."
            ) from None


def gather(lines: Iterable[str], source_lengths: ArrayLike, target_lengths: ArrayLike) -> Profile:
    """Measure source lines, normalised, and the lengths of pairs in pieces.

    Every tenth line is held out of the counts while it is measured, so that what is usual is what
    is usual for new lines.
    """
    every = list(lines)
    held = every[::_HELD] if len(every) >= _FEW else every
    others = Counter[str]()
    rest = (line for i, line in enumerate(every) if len(every) < _FEW or i % _HELD)
    _count(others, rest)
    figures = [commonness(others, others.total(), line) for line in held]
    usual = measure([len(trigrams_of(line)) for line in held], figures, _SHARE)
    if len(every) >= _FEW:
        _count(others, held)
    kept = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))[:_KEPT]
    sources, targets = np.asarray(source_lengths), np.asarray(target_lengths)
    longest = int(np.quantile(sources, 0.999, method="higher")) if sources.size else 0
    ratios = measure(sources, ratio(sources, targets), _SHARE)
    return Profile(len(every), others.total(), dict(kept), usual, ratios, longest)


def ratio(source: ArrayLike, target: ArrayLike) -> Any:
    """Return target to source length, both with their end: (T + 1) / (S + 1)."""
    return (np.asarray(target) + 1.0) / (np.asarray(source) + 1.0)


def trigrams_of(text: str) -> list[str]:
    """Cut a line, with a space around it, into all its sequences of three characters.

    >>> trigrams_of("ag")
    [' ag', 'ag ']
    """
    padded = f" {text} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]


def commonness(counts: Mapping[str, int], total: int, text: str) -> float:
    """Return the mean log2 frequency of a line's trigrams; 0 for a line without any."""
    grams = trigrams_of(text)
    if not grams:
        return 0.0
    logs = [math.log2((counts.get(gram, 0) + 0.5) / max(total, 1)) for gram in grams]
    return sum(logs) / len(logs)


def _count(counts: "Counter[str]", lines: Iterable[str] | Sequence[str]) -> None:
    for line in lines:
        counts.update(trigrams_of(line))
