"""Warm-up, then half a cosine."""

import math
from collections.abc import Sequence

from saccade.schedules.base import Schedule


class Cosine(Schedule):
    """Rises linearly over `warmup` steps, then falls along half a cosine to `floor` at `steps`.

        factor = floor + (1 - floor) (1 + cos(pi u)) / 2,    u = (step - warmup) / (steps - warmup)

    Loshchilov & Hutter 2017 (arXiv:1608.03983), eq. 5, without restarts.
    """

    def __init__(self, *, steps: int = 10000, warmup: int = 400, floor: float = 0.0) -> None:
        self.steps = steps
        self.warmup = warmup
        self.floor = floor

    def factor(self, step: int, validations: Sequence[float]) -> float:
        """Return the factor at `step`."""
        if step < self.warmup:
            return (step + 1) / self.warmup
        u = min(1.0, (step - self.warmup) / max(self.steps - self.warmup, 1))
        return self.floor + (1 - self.floor) * (1 + math.cos(math.pi * u)) / 2
