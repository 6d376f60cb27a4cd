"""What a schedule is: a factor for the learning rate, from the step and the validations so far."""

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Schedule(ABC):
    """A pure function: no state of its own, so resuming needs nothing saved.

    warmup: for how many steps the factor rises before it is what was asked for. Nobody loses
    patience with a run before that.
    """

    warmup: int = 0

    @abstractmethod
    def factor(self, step: int, validations: Sequence[float]) -> float:
        """Return what to multiply the learning rate by.

        Args:
            step: updates made so far, from 0.
            validations: the validation figures so far, oldest first; smaller is better.
        """
