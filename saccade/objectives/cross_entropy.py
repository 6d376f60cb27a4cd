"""Cross-entropy with label smoothing."""

from typing import ClassVar

from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Decode, Moment, Objective


class CrossEntropy(Objective):
    """The negative log-probability of the target, smoothed towards the uniform distribution.

        loss = sum_t (1 - e) (-log p[y_t]) + e (1/V) sum_v (-log p[v])

    Szegedy et al. 2016 (arXiv:1512.00567), section 7. Padding never counts: the output projection
    is computed for real target places only.
    """

    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, smoothing: float = 0.1) -> None:
        super().__init__(decode)
        self.smoothing = checked(smoothing, "cross_entropy")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the smoothed sum; `parts["nll"]` is the plain one."""
        return cross_entropy(model, batch, self.smoothing)


def cross_entropy(model: Model, batch: Batch, smoothing: float = 0.0) -> Loss:
    """Force the target upon the model and sum as `CrossEntropy` does."""
    mask, features, gold = batch.target.mask, model(batch).features, batch.target.values
    if bool(mask.all()):
        return loss_of(model, features.flatten(0, 1), gold.flatten(), smoothing)
    return loss_of(model, features[mask], gold[mask], smoothing)


def loss_of(model: Model, features: Tensor, gold: Tensor, smoothing: float) -> Loss:
    """Sum the smoothed cross-entropy of features `[N, D]` where `gold` `[N]` is right."""
    total, nll = model.head.loss(features, gold, smoothing)
    return Loss(total, len(gold), {"nll": nll.sum().item()})


def loss_and_map(model: Model, batch: Batch, smoothing: float, owner: str) -> tuple[Loss, Tensor]:
    """Return the cross-entropy, and the mean of the model's maps `[B, T, S]`, to put a price on.

    owner: the objective that asks, for the message if the model has no attention.
    """
    if not model.attention_names:
        raise RecipeError(
            f"training.objective: {owner} prices where the model looks, but it has no"
            " attention. Give the decoder one, or use cross_entropy."
        )
    mask = batch.target.mask
    decoded = model(batch, look=True)
    assert decoded.weights is not None
    loss = loss_of(model, decoded.features[mask], batch.target.values[mask], smoothing)
    return loss, decoded.weights.mean(dim=2)


def checked(smoothing: float, owner: str) -> float:
    """Return the smoothing if it is a share of one."""
    if not 0 <= smoothing < 1:
        raise RecipeError(
            f"{owner}.smoothing: {smoothing} is not in [0, 1); 0 is none, 0.1 is usual."
        )
    return smoothing
