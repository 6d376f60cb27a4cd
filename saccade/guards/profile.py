"""What a model has learned from, in short: what its guards compare new text with.

trigrams     how often each sequence of three characters stood in the source (the commonest)
usual        how common the trigrams of a line are, in bands of its length
ratios       target pieces to source pieces, in bands of source pieces
longest      source pieces that all but one in a thousand lines stay under

A model folder holds it; `gathering.py` makes it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from saccade.errors import CheckpointError
from saccade.guards.bands import Band

FORMAT = 1


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
                usual=tuple(map(_band, found["usual"])),
                ratios=tuple(map(_band, found["ratios"])),
                longest=int(found["longest"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise CheckpointError(
                f"{where}: damaged ({error}); expected the profile of a model's training data."
                " Copy the model folder again, or delete this file: its guards are silent then."
            ) from None


def _band(raw: Mapping[str, Any]) -> Band:
    return Band(int(raw["up_to"]), float(raw["low"]), float(raw["high"]))


def ratio(source: Any, target: Any) -> Any:
    """Return target to source length, both with their end: (T + 1) / (S + 1)."""
    return (target + 1.0) / (source + 1.0)


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
