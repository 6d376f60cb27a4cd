"""The absolute error of a forecast."""

from typing import ClassVar

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives._errors import missed
from saccade.objectives.base import Decode, Moment, Objective


class AbsoluteError(Objective):
    """How far forecasts are from the truth; it is made small by forecasting the median.

        loss = sum_t (1/C) sum_c |f[t, c] - y[t, c]|            on the scale of the training data

    Single wild values pull it less than `squared_error`, whose `free_running` it has too.
    """

    discrete: ClassVar[bool] = False
    distance: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, free_running: bool = False) -> None:
        super().__init__(decode)
        self.free_running = free_running

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `count` is the number of places."""
        errors = missed(model, batch, free_running=self.free_running)  # [N, C]
        return Loss(errors.abs().mean(dim=1).sum(), len(errors))
