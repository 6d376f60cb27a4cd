"""A head for models that know beforehand what they will write."""

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.heads.base import Categorical


class PlannedHead(Categorical):
    """Writes the symbol that the features name, and gives the little that is left to all.

        p(y) = (1 - d) [y = f] + d / V                d: `doubt`

    A feature is the number of a symbol, `[..., 1]`. With a doubt above 0 no text is impossible, so
    that a loss can be measured.
    """

    general: ClassVar[bool] = False

    def __init__(
        self, width: int, size: int, tied: nn.Parameter | None, *, doubt: float = 0.01
    ) -> None:
        super().__init__(width, size)
        self.doubt = doubt

    def log_probs(self, features: Tensor) -> Tensor:
        """Turn symbols `[..., 1]` into log-probabilities `[..., V]`."""
        rest = self.doubt / self.size
        shape = (*features.shape[:-1], self.size)
        found = torch.full(shape, math.log(rest), device=features.device)
        return found.scatter(-1, features.long(), math.log(1 - self.doubt + rest))

    def best(self, features: Tensor) -> Tensor:
        """Return the symbol that is named, `[...]`."""
        return features[..., 0].long()
