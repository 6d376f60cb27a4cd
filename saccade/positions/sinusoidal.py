"""Sinusoidal positions."""

import math

import torch
from torch import Tensor

from saccade.positions.base import Positions


class Sinusoidal(Positions):
    """Adds waves of geometrically growing length; no parameters, no longest sentence.

        p[t, 2i] = sin(t / 10000^(2i / D))      p[t, 2i+1] = cos(t / 10000^(2i / D))

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.
    """

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Add the waves."""
        return x + waves(x.shape[1], self.dim, first).to(x)  # [B, T, D]


def waves(n: int, dim: int, first: int = 0) -> Tensor:
    """Return `[n, dim]` positions from `first` on.

    >>> waves(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    t = torch.arange(first, first + n, dtype=torch.float32)[:, None]  # [n, 1]
    wave = torch.arange(0, dim, 2, dtype=torch.float32)  # [dim / 2]
    angle = t * torch.exp(-math.log(10000.0) * wave / dim)  # [n, dim / 2]
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)[:, :dim]  # [n, dim]
