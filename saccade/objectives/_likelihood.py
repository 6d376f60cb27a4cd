"""The cross-entropy of given targets, which most objectives are made of."""

from torch import Tensor

from saccade.flow import Batch, Loss
from saccade.kernels.cross_entropy import projected_cross_entropy
from saccade.models.base import Model


def cross_entropy(model: Model, batch: Batch, smoothing: float = 0.0) -> Loss:
    """Force the target upon the model and sum as `CrossEntropy` does."""
    mask, features, gold = batch.target.mask, model(batch).features, batch.target.values
    if bool(mask.all()):
        return loss_of(model, features.flatten(0, 1), gold.flatten(), smoothing)
    return loss_of(model, features[mask], gold[mask], smoothing)


def loss_of(model: Model, features: Tensor, gold: Tensor, smoothing: float) -> Loss:
    """Sum the smoothed cross-entropy of features `[N, D]` where `gold` `[N]` is right."""
    total, nll = summed(model, features, gold, smoothing)
    return Loss(total, len(gold), {"nll": nll.sum().item()})


def summed(
    model: Model, features: Tensor, gold: Tensor, smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return the smoothed sum, and the plain loss of every symbol `[N]`, without a gradient."""
    projection = model.head.projection(features)
    if projection is not None:
        return projected_cross_entropy(*projection, gold, smoothing)
    log_probs = model.head.log_probs(features)  # [N, V]
    nll = -log_probs.detach().gather(1, gold[:, None]).squeeze(1)
    return smoothed(log_probs, gold, smoothing).total, nll


def smoothed(log_probs: Tensor, gold: Tensor, smoothing: float) -> Loss:
    """Sum the smoothed cross-entropy of `log_probs` `[N, V]` where `gold` `[N]` is right."""
    nll = -log_probs.gather(1, gold[:, None]).sum()
    total = nll
    if smoothing:
        uniform = -log_probs.sum() / log_probs.shape[1]
        total = (1 - smoothing) * nll + smoothing * uniform
    return Loss(total, len(gold), {"nll": nll.item()})
