"""A linear map of the numbers of a place."""

from typing import ClassVar

from torch import Tensor, nn

from saccade.embedders.base import PlaceEmbedder
from saccade.flow import Padded


class LinearEmbedder(PlaceEmbedder):
    """Maps the columns of a place to a vector.

    x = W z + b
    """

    raw: ClassVar[str] = "numbers"

    def __init__(self, size: int, dim: int) -> None:
        super().__init__(size, dim)
        self.map = nn.Linear(size, dim)

    def embed(self, values: Tensor) -> Tensor:
        """Map numbers `[..., C]`: `[..., D]`."""
        vectors: Tensor = self.map(values)
        return vectors

    def forward(self, source: Padded) -> Padded:
        """Embed all places."""
        return Padded(self.embed(source.values), source.mask)
