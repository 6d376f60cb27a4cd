"""A vector for every symbol."""

from math import sqrt
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from saccade.embedders.base import PlaceEmbedder
from saccade.flow import Padded


class SymbolEmbedder(PlaceEmbedder):
    """A vector per symbol, scaled so that it enters with variance one.

        x = sqrt(D) E[id],    E ~ N(0, 1 / D)

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.4. At this scale the same matrix also serves
    as the output projection (Press & Wolf 2017, arXiv:1608.05859).
    """

    raw: ClassVar[str] = "text"

    def __init__(self, size: int, dim: int) -> None:
        super().__init__(size, dim)
        self.weight = nn.Parameter(torch.randn(size, dim) / sqrt(dim))

    @property
    def matrix(self) -> nn.Parameter:
        """The vectors of all symbols."""
        return self.weight

    def embed(self, values: Tensor) -> Tensor:
        """Look ids `[...]` up: `[..., D]`."""
        return embedding(values, self.weight) * sqrt(self.weight.shape[1])

    def forward(self, source: Padded) -> Padded:
        """Embed all places."""
        return Padded(self.embed(source.values), source.mask)
