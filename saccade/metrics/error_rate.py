"""Share of segments that are not wholly right."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from saccade.metrics._text import case, is_right
from saccade.metrics.base import Metric, Score, Stats


class ErrorRate(Metric):
    """Count the segments that differ from every reference, after NFC and trimming.

        error rate = 100 * wrong / segments = 100 - exact match

    Papers on pronunciation and transliteration call this the word error rate, one word being one
    segment (Yao & Zweig 2015, arXiv:1506.00196). Words inside segments are counted by `wer`,
    phones by `per`.

    detail: `wrong`, `segments`.
    """

    name = "error rate"
    label: ClassVar[str] = "error rate (wrong outputs; WER in pronunciation)"
    higher_is_better = False

    def __init__(self, *, lowercase: bool = False) -> None:
        self._lowercase = lowercase

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return whether the segment is wrong, and 1: `[2]`."""
        right = is_right(hypothesis, references, lowercase=self._lowercase)
        return np.array([not right, 1], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the wrong segments in percent."""
        wrong, segments = summed.tolist()
        detail = {"wrong": wrong, "segments": segments}
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc"
        return Score(self.name, 100 * wrong / segments, signature, detail, self.higher_is_better)
