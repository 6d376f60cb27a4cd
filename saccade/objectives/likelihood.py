"""How unlikely a model finds values."""

from typing import ClassVar

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective


class NegativeLikelihood(Objective):
    """The loss of the head at every place: of a head that draws, nats.

        loss = sum_t -log p(y[t] | y[<t], x)

    For heads that know a distribution of values, as `mixture_density` does. The model reads the
    truth before every step. Of head `values`, whose spread is not learned, it is the squared error.
    """

    discrete: ClassVar[bool] = False
    steady: ClassVar[bool] = True

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `count` is the number of places."""
        mask = batch.target.mask
        total, each = model.head.loss(model(batch).features[mask], batch.target.values[mask])
        return Loss(total, len(each))
