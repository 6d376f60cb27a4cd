"""What objectives of numbers share: what a model forecasts where the truth is known."""

from torch import Tensor

from saccade.flow import Batch
from saccade.models.base import Model
from saccade.search._follow import follow


def missed(model: Model, batch: Batch, *, free_running: bool) -> Tensor:
    """Return forecast - truth at the real places, `[N, C]`.

    Forced, the model has read the truth before every step; free running, what it wrote itself,
    and gradients flow through that.
    """
    mask, n = batch.target.mask, batch.prefix.shape[1]
    if free_running:
        values = follow(model.step, model.start(batch.source), batch.prefix[:, 0], n)
    else:
        values = model.log_probs(model(batch).features)  # [B, T, C]
    return values[mask] - batch.target.values[mask]
