"""The squared error of a forecast."""

from typing import ClassVar

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives._errors import squared_error
from saccade.objectives.base import Decode, Moment, Objective


class SquaredError(Objective):
    """How far forecasts are from the truth, squared; it is made small by forecasting the mean.

        loss = sum_t (1/C) sum_c (f[t, c] - y[t, c])^2          on the scale of the training data

    With `free_running` a model reads what it wrote itself, in training as in use; without, it
    reads the truth before every step (teacher forcing: Williams & Zipser 1989).
    """

    discrete: ClassVar[bool] = False
    distance: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, free_running: bool = False) -> None:
        super().__init__(decode)
        self.free_running = free_running

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `count` is the number of places."""
        return squared_error(model, batch, free_running=self.free_running)
