"""Convolution over places, as encoders and decoders share it.

A kernel of width k reads k neighbouring places; the caller says what stands before the first place
and behind the last (zeros, or what was written before).
"""

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import glu, pad

from saccade.errors import ShapeError


def windows(x: Tensor, width: int) -> Tensor:
    """Put `width` neighbours side by side: `[B, T + width - 1, D]` to `[B, T, width D]`.

    >>> windows(torch.tensor([[[1], [2], [3]]]), 2).tolist()
    [[[1, 2], [2, 3]]]
    """
    n = x.shape[1] - width + 1
    return torch.cat([x[:, i : i + n] for i in range(width)], dim=2)


def surround(x: Tensor, width: int) -> Tensor:
    """Add zeros to both ends so that a kernel of `width` has `x` in its middle and keeps T.

    An even kernel has one place more behind its middle than before it.

    >>> surround(torch.ones(1, 1, 1), 4).flatten().tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    return pad(x, (0, 0, (width - 1) // 2, width // 2))  # [B, T + width - 1, D]


class GatedConvolution(nn.Module):
    """A convolution whose one half decides how much of the other passes.

        [a; b][t] = W [x[t]; ...; x[t + k - 1]] + c        y[t] = a[t] * sigmoid(b[t])

    Dauphin et al. 2017 (arXiv:1612.08083). W starts from N(0, 3 p / (k D)), with p the share that
    dropout keeps of the input, so that the result varies as much as the input: Gehring et al. 2017
    (arXiv:1705.03122), section 3.5. Their 4 for our 3 holds for the small inputs of their model,
    where every gate is near one half. Ours vary by one, and E[sigmoid(b)^2] = 1/3 for b ~ N(0, 3).
    """

    def __init__(self, dim: int, width: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.W = normal_linear(width * dim, 2 * dim, gain=3 * (1 - dropout))

    def forward(self, x: Tensor) -> Tensor:
        """Read `x [B, T + k - 1, D]`: `[B, T, D]`."""
        return glu(self.W(windows(x, self.width)), dim=2)


def normal_linear(input_dim: int, output_dim: int, gain: float = 1.0) -> nn.Linear:
    """Return a dense layer that starts from W ~ N(0, gain / input_dim) and no bias."""
    layer = nn.Linear(input_dim, output_dim)
    nn.init.normal_(layer.weight, std=sqrt(gain / input_dim))
    nn.init.zeros_(layer.bias)
    return layer


def check_widths(owner: str, option: str, widths: Sequence[int], least: int = 1) -> None:
    """Refuse kernels that read no place."""
    if not widths or min(widths) < least:
        raise ShapeError(
            f"{owner}: {option} is {', '.join(map(str, widths)) or 'empty'}; a kernel reads at"
            f" least {least} place{'s' if least > 1 else ''}. Give {least} or more."
        )
