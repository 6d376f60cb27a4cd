"""Warm-up, then decay with the inverse square root of the step."""

from collections.abc import Sequence

from saccade.schedules.base import Schedule


class InverseSqrt(Schedule):
    """Rises linearly to the learning rate at step `warmup`, then falls as 1 / sqrt(step).

        factor = min(n / warmup, sqrt(warmup / n)),   n = step + 1

    Vaswani et al. 2017 (arXiv:1706.03762), eq. 3, scaled so that the peak is the learning rate.
    """

    def __init__(self, *, warmup: int = 400) -> None:
        self.warmup = max(warmup, 1)

    def factor(self, step: int, validations: Sequence[float]) -> float:
        """Return the factor at `step`."""
        n = step + 1
        return float(min(n / self.warmup, (self.warmup / n) ** 0.5))
