"""Mean absolute error."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from saccade.metrics._numbers import errors
from saccade.metrics.base import Metric, Score, Stats


class Mae(Metric):
    """How far forecasts are from the truth on average, in the units of the data.

        MAE = (1/N) sum |f - y|             over all places and columns of all windows

    detail: `total`, `numbers`.
    """

    name = "MAE"
    higher_is_better = False
    raw: ClassVar[str] = "numbers"

    def stats(self, hypothesis: Any, references: Sequence[Any]) -> Stats:
        """Return the sum of absolute errors and how many there are: `[2]`."""
        found = errors(hypothesis, references, self.name)
        return np.array([np.abs(found).sum(), found.size], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the mean; 0 if there is no number at all."""
        total, n = summed.tolist()
        detail = {"total": total, "numbers": n}
        return Score(self.name, total / max(n, 1.0), "numbers", detail, self.higher_is_better)
