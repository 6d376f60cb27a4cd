"""Learned positions."""

import torch
from torch import Tensor, nn

from saccade.errors import ShapeError
from saccade.positions.base import Heads, Positions


class Learned(Positions):
    """Adds a learned vector per place, up to `most` places.

        x[t] + P[t]

    Gehring et al. 2017 (arXiv:1705.03122), section 3.1.
    """

    def __init__(self, dim: int, heads: Heads | None, *, most: int = 512) -> None:
        super().__init__(dim, heads)
        self.most = most
        self.P = nn.Parameter(torch.randn(most, dim) * 0.02)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Add the vectors."""
        last = first + x.shape[1]
        if last > len(self.P):
            raise ShapeError(
                f"positions learned: place {last} of a sequence is beyond most={len(self.P)}, the"
                " longest it was built for. Shorten the input, or train with sinusoidal positions."
            )
        return x + self.P[first:last]  # [B, T, D]
