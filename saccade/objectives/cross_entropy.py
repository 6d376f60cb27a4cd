"""Cross-entropy with label smoothing."""

import torch

from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.objectives.base import Objective


class CrossEntropy(Objective):
    """The negative log-probability of the target, smoothed towards the uniform distribution.

        loss = sum_t (1 - e) (-log p[y_t]) + e (1/V) sum_v (-log p[v])

    Szegedy et al. 2016 (arXiv:1512.00567), section 7. Padding never counts: the output projection
    is computed for real target places only.
    """

    def __init__(self, *, smoothing: float = 0.1) -> None:
        self.smoothing = smoothing

    def __call__(self, model: Model, batch: Batch, generator: torch.Generator) -> Loss:
        """Return the smoothed sum; `parts["nll"]` is the plain one."""
        mask = batch.target.mask
        features = model(batch).features[mask]  # [N, D]
        log_probs = model.log_probs(features)  # [N, V]
        nll = -log_probs.gather(1, batch.target.values[mask][:, None]).sum()
        total = nll
        if self.smoothing:
            uniform = -log_probs.sum() / log_probs.shape[1]
            total = (1 - self.smoothing) * nll + self.smoothing * uniform
        return Loss(total, len(features), {"nll": nll.item()})
