"""A bound on how unlikely a model finds pictures that it draws in steps."""

from typing import ClassVar

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.models.draw import DrawModel
from saccade.objectives.base import Moment, Objective


class Variational(Objective):
    """The bound of a model that is told, step by step, what to draw.

        loss = -log p(x | z) + sum_n KL(q(z[n] | x) || p(z[n]))       z drawn from q

    Gregor et al. 2015 (arXiv:1502.04623), equations 9 to 12. Kingma & Welling 2014
    (arXiv:1312.6114) for the gradient: z is its mean, and noise times its scale.
    """

    discrete: ClassVar[bool] = False

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum of nats; `count` is the number of places, the rows of pictures."""
        if not isinstance(model, DrawModel):
            raise RecipeError(
                "training.objective: variational trains what is told step by step, but this model"
                " has no such steps; expected draw. Set the objective to likelihood."
            )
        mask = batch.target.mask
        features = model.explore(batch, moment.generator).features
        total, each = model.head.loss(features[mask], batch.target.values[mask])
        return Loss(total, len(each))
