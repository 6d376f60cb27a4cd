"""Fall when validation stops getting better."""

from collections.abc import Sequence

from saccade.schedules.base import Schedule


class Plateau(Schedule):
    """Multiplies by `decay` whenever `patience` validations in a row brought nothing better.

    A pure function of all validations so far, after an optional linear warm-up.

    >>> Plateau(decay=0.5, patience=2).factor(100, [3.0, 2.0, 2.5, 2.1, 1.9])
    0.5
    """

    def __init__(self, *, decay: float = 0.5, patience: int = 3, warmup: int = 0) -> None:
        self.decay = decay
        self.patience = max(patience, 1)
        self.warmup = warmup

    def factor(self, step: int, validations: Sequence[float]) -> float:
        """Return the factor at `step`."""
        if step < self.warmup:
            return (step + 1) / self.warmup
        best, bad, factor = float("inf"), 0, 1.0
        for figure in validations:
            bad = 0 if figure < best else bad + 1
            best = min(best, figure)
            if bad == self.patience:
                bad, factor = 0, factor * self.decay
        return factor
