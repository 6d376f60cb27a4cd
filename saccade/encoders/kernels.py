"""Parallel kernels of several widths."""

import torch
from torch import nn

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.layers.convolution import check_widths, surround, windows
from saccade.layers.dropout import Dropout


class KernelsEncoder(Encoder):
    """Kernels of several widths side by side, each reading its own neighbourhood of a place.

        h_k[s] = relu(W_k [x[s - (k-1)/2]; ...; x[s + k/2]] + b_k)        for every width k
        h[s] = [h_1[s]; h_3[s]; ...]        m = max_s h[s]

    Kim 2014 (arXiv:1408.5882), section 2, with zeros around the sentence so that every place has a
    state. The summary is the maximum over all places of each filter.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        widths: list[int] = [1, 3, 5],  # noqa: B006 - only read
        filters: int = 100,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        check_widths("encoder kernels", "widths", widths)
        self.widths = tuple(widths)
        self.W = nn.ModuleList(nn.Linear(width * input_dim, filters) for width in widths)
        self.filters = filters
        self.dropout = Dropout(dropout)

    @property
    def memory_dim(self) -> int:
        """The number of all filters."""
        return self.filters * len(self.widths)

    def forward(self, source: Padded) -> Memory:
        """Run every kernel over the sentence and zeros."""
        keep = source.mask[:, :, None]  # [B, S, 1]
        x = source.values.masked_fill(~keep, 0.0)
        read = [
            W(windows(surround(x, k), k)) for k, W in zip(self.widths, self.W, strict=True)
        ]  # [B, S, filters] each
        states = torch.relu(torch.cat(read, dim=2)) * keep  # [B, S, D]
        return Memory(self.dropout(states), source.mask, self.dropout(states.amax(dim=1)))
