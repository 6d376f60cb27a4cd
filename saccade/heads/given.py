"""A head for models that say themselves how likely every symbol is."""

from typing import ClassVar

from torch import Tensor, nn

from saccade.heads.base import Categorical


class GivenHead(Categorical):
    """Takes the features as they are: they are the log-probabilities of the symbols, `[..., V]`."""

    general: ClassVar[bool] = False

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)

    def log_probs(self, features: Tensor) -> Tensor:
        """Return the features."""
        return features
