"""The convolutional sentence model of the first neural translation model."""

from collections.abc import Iterator
from itertools import chain, repeat
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, pad

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.layers.convolution import check_widths


class KalchbrennerBlunsomEncoder(Encoder):
    """Kernels of growing width, each over what the one below left, until one vector is left.

        E[1] = x;    E[i][s] = tanh(sum_j K[i][j] * E[i-1][s + j]),   j < i,   i = 2, 3, ..., r
        m = tanh(sum_j L[n][j] * E[s=j]),   j < n,    n <= r columns left

    Kalchbrenner & Blunsom 2013 (EMNLP, "Recurrent continuous translation models"), section 3: the
    kernel K[i] takes i - 1 columns away, so six words become five, three, and by the top kernel
    L[3] one. A kernel multiplies each dimension by itself (`*`); dimensions do not mix. A sentence
    of one word is its own summary.

    Where we differ: the paper takes r = sqrt(2 N) for the longest sentence N; here r is `widest`,
    and K[r] is used again as often as a longer sentence needs. The paper has no attention; for it,
    a place's state is what the place was in the last layer that still had it, so the first place
    holds the whole sentence, the last its own word, and those between phrases that begin there.
    """

    def __init__(self, input_dim: int, *, widest: int = 10) -> None:
        super().__init__(input_dim)
        check_widths("encoder kalchbrenner_blunsom", "widest", [widest], least=2)
        self.K = nn.ParameterList(_kernel(k, input_dim) for k in range(2, widest + 1))
        self.L = nn.ParameterList(_kernel(k, input_dim) for k in range(2, widest + 1))

    @property
    def memory_dim(self) -> int:
        """The width of the input: it stays the same throughout."""
        return self.input_dim

    def forward(self, source: Padded) -> Memory:
        """Convolve each row until its top kernel spans it, then apply that."""
        x = source.values.masked_fill(~source.mask[:, :, None], 0.0)  # [B, S, D]
        left = source.lengths  # [B], columns left
        place = torch.arange(x.shape[1], device=x.device)  # [S]
        for kernel in self._kernels(max(left.tolist(), default=0)):
            moves = left > len(kernel)  # [B]
            left = torch.where(moves, left - len(kernel) + 1, left)
            alive = moves[:, None] & (place < left[:, None])  # [B, S]
            x = torch.where(alive[:, :, None], _convolve(x, kernel), x)
        summary = self._top(x, left)  # [B, D]
        states = torch.cat([summary[:, None], x[:, 1:]], dim=1)  # [B, S, D]
        return Memory(states, source.mask, summary)

    def _kernels(self, left: int) -> Iterator[Tensor]:
        """Return the kernels that a sentence of `left` words needs before its top kernel."""
        for kernel in chain(self.K, repeat(self.K[-1])):
            if left <= len(kernel):
                return
            left -= len(kernel) - 1
            yield kernel

    def _top(self, x: Tensor, left: Tensor) -> Tensor:
        summary = x[:, 0]  # [B, D]
        for kernel in self.L:
            width = len(kernel)
            if width <= x.shape[1]:
                top = torch.tanh((x[:, :width] * kernel).sum(dim=1))  # [B, D]
                summary = torch.where((left == width)[:, None], top, summary)
        return summary


def _convolve(x: Tensor, kernel: Tensor) -> Tensor:
    """Convolve each dimension of `x [B, S, D]` with its own column of `kernel [k, D]`."""
    weight = kernel.t()[:, None]  # [D, 1, k]
    y = conv1d(x.transpose(1, 2), weight, groups=x.shape[2]).transpose(1, 2)  # [B, S - k + 1, D]
    return pad(torch.tanh(y), (0, 0, 0, len(kernel) - 1))  # [B, S, D]


def _kernel(width: int, dim: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(width, dim) / sqrt(width))
