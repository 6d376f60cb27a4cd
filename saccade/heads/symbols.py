"""A softmax over the symbols of a vocabulary."""

import torch
from torch import Tensor, nn

from saccade.heads.base import Categorical, Projection
from saccade.kernels.cross_entropy import projected_cross_entropy


class SymbolHead(Categorical):
    """Says how likely every symbol is.

        p = softmax(O N f + b)

    O is a matrix of its own, and N the identity; or O is the target's embedding and N narrows the
    features to its width where they differ (Press & Wolf 2017, arXiv:1608.05859).

    Args:
        width: of the features.
        size: symbols.
        tied: the matrix of the embedding `[V, D]`, if O is to be it.
    """

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        narrows = tied is not None and tied.shape[1] != width
        self.narrow = nn.Linear(width, tied.shape[1]) if narrows and tied is not None else None
        self.weight = _drawn(size, width) if tied is None else tied
        self.bias = nn.Parameter(torch.zeros(size))

    def log_probs(self, features: Tensor) -> Tensor:
        """Project features `[..., D]` to log-probabilities `[..., V]`."""
        return self.projection(features).log_probs()

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the smoothed cross-entropy; projection, softmax and loss in one."""
        return projected_cross_entropy(*self.projection(features), gold, smoothing)

    def projection(self, features: Tensor) -> Projection:
        """Return the output map."""
        narrowed = features if self.narrow is None else self.narrow(features)
        return Projection(narrowed, self.weight, self.bias)


def _drawn(size: int, width: int) -> nn.Parameter:
    """Draw a matrix as a linear layer does."""
    drawn = nn.Linear(width, size, bias=False)
    return nn.Parameter(drawn.weight.detach())
