"""Share of tags that are right."""

from collections.abc import Sequence

import numpy as np

from saccade.metrics._text import case, tidy
from saccade.metrics.base import Metric, Score, Stats


class Accuracy(Metric):
    """Compare word by word, place by place, with the reference that agrees most.

        accuracy = 100 * places that are the same / places of the longer of the two

    detail: `right`, `places`.
    """

    name = "accuracy"
    higher_is_better = True

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return right places and all places: `[2]`."""
        found = tidy(hypothesis, lowercase=self._lowercase).split()
        rows = []
        for reference in references:
            wanted = tidy(reference, lowercase=self._lowercase).split()
            right = sum(a == b for a, b in zip(found, wanted, strict=False))
            rows.append((right, max(len(found), len(wanted))))
        right, places = max(rows, key=lambda row: (row[0] / max(row[1], 1), row[1]))
        return np.array([right, places], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the right places in percent; 100 if there is none at all."""
        right, places = summed.tolist()
        value = 100 * right / places if places else 100.0
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc"
        return Score(self.name, value, signature, {"right": right, "places": places})
