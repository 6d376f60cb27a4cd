"""A softmax mixed with what attention points at: symbols are written or copied."""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from saccade.heads.base import Categorical
from saccade.heads.symbols import SymbolHead


class PointerHead(Categorical):
    """Writes a symbol of its own, or one that attention points at.

        p(w) = g P(w) + (1 - g) c[w]        g = sigmoid(u . f + b)        P = softmax(O f)

    See, Liu & Manning 2017 (arXiv:1704.04368), eqs. 8 and 9. The features are `[f; u . f + b; c]`,
    where c is the weight of every symbol in the source; `extend` makes them. If no place has any
    weight, nothing is copied and p = P.
    """

    general: ClassVar[bool] = False

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        self.symbols = SymbolHead(width, size, tied)
        self.switch = nn.Linear(width, 1)

    def extend(self, features: Tensor, weights: Tensor, symbols: Tensor) -> Tensor:
        """Put the switch and the weight of every symbol behind the features.

        Args:
            features: `[B, T, D]`.
            weights: `[B, T, S]`, zero on padding; those that do not sum to one are divided.
            symbols: `[B, S]`.

        Returns:
            `[B, T, D + 1 + V]`.
        """
        a = weights / weights.sum(dim=2, keepdim=True).clamp(min=torch.finfo(weights.dtype).tiny)
        where = symbols[:, None].expand_as(a)  # [B, T, S]
        copied = a.new_zeros(*a.shape[:2], self.size).scatter_add(2, where, a)  # [B, T, V]
        return torch.cat([features, self.switch(features), copied], dim=2)

    def log_probs(self, features: Tensor) -> Tensor:
        """Mix what is written and what is copied: `[..., D + 1 + V]` to `[..., V]`."""
        own, gate = features[..., : self.width], features[..., self.width : self.width + 1]
        copied = features[..., self.width + 1 :]  # [..., V]
        least = torch.finfo(features.dtype).tiny
        nothing = ~copied.any(dim=-1, keepdim=True)  # [..., 1]
        write = logsigmoid(gate).masked_fill(nothing, 0.0)
        copy = logsigmoid(-gate) + copied.clamp(min=least).log()  # [..., V]
        return torch.logaddexp(write + self.symbols.log_probs(own), copy)

    def generating(self, features: Tensor) -> Tensor:
        """Return g, the share of what is written and not copied: `[...]`."""
        return torch.sigmoid(features[..., self.width])
