"""Scaled dot-product attention with one head and no projections."""

from math import sqrt

from torch import Tensor

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention, same_width


class ScaledDot(ScoredAttention):
    """Score by the product of query and state over the square root of their width.

        e[t, s] = q[t] . h[s] / sqrt(D)

    If the entries of q and h are independent with variance one, `q . h` has variance D and its
    softmax is nearly one-hot for large D; the division brings the variance back to one.
    Vaswani et al. 2017 (arXiv:1706.03762), eq. 1 and footnote 4.
    """

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(query_dim, key_dim)
        same_width("scaled_dot", query_dim, key_dim)
        self.factor = 1 / sqrt(key_dim)

    def keys(self, states: Tensor) -> Tensor:
        """The states are the keys."""
        return states

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """All products at once."""
        return query @ keys.transpose(1, 2) / sqrt(self.key_dim)  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """The product, then the division."""
        products = keys @ query  # [S]
        return (
            vector("q", query),
            WorkedStep("k", keys),
            WorkedStep("q·k", products),
            WorkedStep("e = q·k / √d", products / sqrt(self.key_dim)),
        )
