"""R-Drop: what dropout leaves of the model should agree with itself."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.heads.base import smoothed
from saccade.models.base import Model
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked


class RDrop(Objective):
    """Cross-entropy of two passes with different dropout, and how far they lie apart.

        loss = 1/2 (CE(p) + CE(q)) + alpha/4 sum_t (KL(p_t || q_t) + KL(q_t || p_t))

    Wu et al. 2021 (arXiv:2106.14448), equations 2 to 4, halved: the two passes count as one, so
    that without dropout this is cross-entropy and the gradient has its size. The two passes are
    one pass over the batch set twice.
    """

    steady: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, alpha: float = 5.0, smoothing: float = 0.1) -> None:
        super().__init__(decode)
        self.alpha, self.smoothing = alpha, checked(smoothing, "r_drop")
        if alpha < 0:
            raise RecipeError(f"r_drop.alpha: {alpha} is below 0; 0 is off, 1 to 5 are usual.")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `parts["divergence"]` is the sum of both KL, and `nll` the mean."""
        mask = batch.target.mask
        both = model(twice(batch)).features[torch.cat([mask, mask])]  # [2 N, D]
        log_probs = model.head.log_probs(both)  # [2 N, V]
        gold = batch.target.values[mask]  # [N]
        smooth, nll = smoothed(log_probs, torch.cat([gold, gold]), self.smoothing)
        apart = divergence(*log_probs.chunk(2))
        total = smooth / 2 + self.alpha / 4 * apart
        parts = {"nll": nll.sum().item() / 2, "divergence": apart.item()}
        return Loss(total, len(gold), parts)


def twice(batch: Batch) -> Batch:
    """Set a batch below itself."""
    rows = torch.arange(len(batch.prefix), device=batch.prefix.device).repeat(2)
    sources = {name: source.rows(rows) for name, source in batch.sources.items()}
    return Batch(sources, batch.target.rows(rows), batch.prefix[rows], batch.index * 2)


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """Sum KL(p || q) + KL(q || p) over rows of log-probabilities `[N, V]`.

    sum_v (p[v] - q[v]) (log p[v] - log q[v])
    """
    return ((p.exp() - q.exp()) * (p - q)).sum()
