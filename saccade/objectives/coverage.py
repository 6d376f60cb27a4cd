"""Cross-entropy with a price on looking twice."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked, loss_and_map


class Coverage(Objective):
    """Cross-entropy, plus what attention gives to places that were read before.

        loss = cross-entropy + w sum_t sum_s min(a[t, s], c[t, s]),   c[t, s] = sum_{r < t} a[r, s]

    See, Liu & Manning 2017 (arXiv:1704.04368), eqs. 12 and 13, w = `weight`. a is the mean of the
    model's maps. The paper begins with it late, on a model that is trained, and with the attention
    `coverage`, which knows c; any attention will do.
    """

    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, weight: float = 1.0, smoothing: float = 0.1) -> None:
        super().__init__(decode)
        if weight <= 0:
            raise RecipeError(
                f"coverage.weight: {weight} is not above 0; without a price use cross_entropy."
            )
        self.weight, self.smoothing = weight, checked(smoothing, "coverage")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum of both; `parts["nll"]` is the plain cross-entropy."""
        loss, weights = loss_and_map(model, batch, self.smoothing, "coverage")
        twice = looked_twice(weights)[batch.target.mask].sum()
        parts = {**loss.parts, "coverage": twice.item()}
        return Loss(loss.total + self.weight * twice, loss.count, parts)


def looked_twice(weights: Tensor) -> Tensor:
    """Return `sum_s min(a[t, s], c[t, s])` for weights `[B, T, S]`: `[B, T]`.

    >>> looked_twice(torch.tensor([[[0.5, 0.5], [0.75, 0.25], [0.0, 1.0]]])).tolist()
    [[0.0, 0.75, 0.75]]
    """
    before = weights.cumsum(dim=1) - weights  # [B, T, S]
    return torch.minimum(weights, before).sum(dim=2)
