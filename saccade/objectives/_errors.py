"""What objectives of numbers share: what a model forecasts where the truth is known."""

from torch import Tensor

from saccade.flow import Batch, Loss
from saccade.models.base import Model, writer
from saccade.search._follow import follow


def missed(model: Model, batch: Batch, *, free_running: bool) -> Tensor:
    """Return forecast - truth at the real places, `[N, C]`.

    Forced, the model has read the truth before every step; free running, what it wrote itself,
    and gradients flow through that.
    """
    mask, n = batch.target.mask, batch.prefix.shape[1]
    if free_running:
        own = writer(model)
        values = follow(own.follow, own.start(batch.sources), batch.prefix[:, 0], n)
    else:
        values = model.head.best(model(batch).features)  # [B, T, C]
    return values[mask] - batch.target.values[mask]


def squared_error(model: Model, batch: Batch, *, free_running: bool) -> Loss:
    """Sum squared errors over the real places, each the mean over its columns."""
    errors = missed(model, batch, free_running=free_running)  # [N, C]
    return Loss(errors.square().mean(dim=1).sum(), len(errors))
