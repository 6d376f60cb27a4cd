"""A learning rate that does not move."""

from collections.abc import Sequence

from saccade.schedules.base import Schedule


class Constant(Schedule):
    """The learning rate as given, after an optional linear warm-up.

    factor = min(1, (step + 1) / warmup)
    """

    def __init__(self, *, warmup: int = 0) -> None:
        self.warmup = warmup

    def factor(self, step: int, validations: Sequence[float]) -> float:
        """Return the factor at `step`."""
        return min(1.0, (step + 1) / max(self.warmup, 1))
