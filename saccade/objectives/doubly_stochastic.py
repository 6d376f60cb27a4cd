"""Cross-entropy with a price on places that are never read, or read too often."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked, loss_and_map


class DoublyStochastic(Objective):
    """Cross-entropy, plus what attention lacks to one over all steps at every place.

        loss = cross-entropy + w sum_s (1 - sum_t a[t, s])^2

    Xu et al. 2015 (arXiv:1502.03044), section 4.2.1, eq. 14, w = `weight` (their lambda): over the
    places of a step the weights sum to one, and over the steps of a place they should. t goes over
    the real steps of a pair, END included. A place that no step gives any weight, as padding, would
    add a constant and is left out. a is the mean of the model's maps, its layers and heads. With
    fewer words than places the price cannot be zero; it spreads what is read over the picture.
    """

    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, weight: float = 1.0, smoothing: float = 0.0) -> None:
        super().__init__(decode)
        if weight <= 0:
            raise RecipeError(
                f"doubly_stochastic.weight: {weight} is not above 0; without a price use"
                " cross_entropy."
            )
        self.weight, self.smoothing = weight, checked(smoothing, "doubly_stochastic")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum of both; `parts["nll"]` is the plain cross-entropy."""
        loss, weights = loss_and_map(model, batch, self.smoothing, "doubly_stochastic")
        total = unevenness(weights, batch.target.mask).sum()
        parts = {**loss.parts, "doubly_stochastic": total.item()}
        return Loss(loss.total + self.weight * total, loss.count, parts)


def unevenness(weights: Tensor, mask: Tensor) -> Tensor:
    """Return `sum_s (1 - sum_t a[t, s])^2` of weights `[B, T, S]`, real steps `[B, T]`: `[B]`.

    >>> a = torch.tensor([[[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [1.0, 0.0, 0.0]]])
    >>> unevenness(a, torch.tensor([[True, True, False]])).tolist()
    [0.125]
    """
    read = (weights * mask[:, :, None]).sum(dim=1)  # [B, S]
    return torch.where(read > 0, (1 - read).square(), 0.0).sum(dim=1)
