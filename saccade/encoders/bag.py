"""The bag of vectors: a sentence without its order."""

from typing import Literal

import torch
from torch import nn

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded


class BagEncoder(Encoder):
    """The mean or the sum of all vectors through a dense layer; order is lost.

        m = tanh(W pool_s x[s] + b)        h[s] = tanh(W x[s] + b)

    Iyyer et al. 2015 (ACL, "Deep unordered composition"), section 2, with one layer. The states are
    the same layer over each vector alone, so that attention still has places to read.
    """

    def __init__(
        self, input_dim: int, *, hidden: int = 256, pool: Literal["mean", "sum"] = "mean"
    ) -> None:
        super().__init__(input_dim)
        self.dense = nn.Linear(input_dim, hidden)
        self.mean = pool == "mean"

    @property
    def memory_dim(self) -> int:
        """The width of the dense layer."""
        return self.dense.out_features

    def forward(self, source: Padded) -> Memory:
        """Pool what is kept."""
        keep = source.mask[:, :, None]  # [B, S, 1]
        pooled = source.values.masked_fill(~keep, 0.0).sum(dim=1)  # [B, input_dim]
        if self.mean:
            pooled = pooled / source.lengths.clamp(min=1)[:, None]
        states = torch.tanh(self.dense(source.values)) * keep  # [B, S, D]
        summary = torch.tanh(self.dense(pooled)) * source.mask.any(dim=1, keepdim=True)  # [B, D]
        return Memory(states, source.mask, summary)
