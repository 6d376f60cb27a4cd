"""Root of the mean squared error."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from saccade.metrics._numbers import errors
from saccade.metrics.base import Metric, Score, Stats


class Rmse(Metric):
    """How far forecasts are from the truth, large errors counting more, in the data's units.

        RMSE = sqrt((1/N) sum (f - y)^2)             over all places and columns of all windows

    detail: `squares`, `numbers`.
    """

    name = "RMSE"
    higher_is_better = False
    raw: ClassVar[str] = "numbers"

    def stats(self, hypothesis: Any, references: Sequence[Any]) -> Stats:
        """Return the sum of squared errors and how many there are: `[2]`."""
        found = errors(hypothesis, references, self.name)
        return np.array([np.square(found).sum(), found.size], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the root of the mean; 0 if there is no number at all."""
        total, n = summed.tolist()
        value, detail = math.sqrt(total / max(n, 1.0)), {"squares": total, "numbers": n}
        return Score(self.name, value, "numbers", detail, self.higher_is_better)
