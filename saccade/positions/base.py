"""What positions are: something added to every place so that order can be seen."""

from abc import ABC, abstractmethod

from torch import Tensor, nn


class Positions(nn.Module, ABC):
    """Adds position to vectors. A part's constructor takes the width from the host.

    There are `most` places, or as many as anybody asks for if that is None.
    """

    most: int | None = None

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    @abstractmethod
    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Mark `x [B, T, D]`, whose places are `first`, `first + 1`, ..."""
