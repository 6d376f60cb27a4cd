"""Share of segments that are wholly right."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from saccade.metrics._text import case, is_right
from saccade.metrics.base import Metric, Score, Stats


class ExactMatch(Metric):
    """Count the segments that are the same as a reference, after NFC and trimming.

        exact match = 100 * right / segments

    detail: `right`, `segments`.
    """

    name = "exact match"
    label: ClassVar[str] = "exact match (right outputs)"
    higher_is_better = True

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return whether the segment is right, and 1: `[2]`."""
        right = is_right(hypothesis, references, lowercase=self._lowercase)
        return np.array([right, 1], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the right segments in percent."""
        right, segments = summed.tolist()
        detail = {"right": right, "segments": segments}
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc"
        return Score(self.name, 100 * right / segments, signature, detail, self.higher_is_better)
