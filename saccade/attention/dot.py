"""Dot-product attention."""

from torch import Tensor

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention, same_width


class Dot(ScoredAttention):
    """Score by the product of query and state; no parameters.

        e[t, s] = q[t] . h[s]

    Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.1, "dot".
    """

    factor = 1.0

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(query_dim, key_dim)
        same_width("dot", query_dim, key_dim)

    def keys(self, states: Tensor) -> Tensor:
        """The states are the keys."""
        return states

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """All products at once."""
        return query @ keys.transpose(1, 2)  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """One product for every place."""
        return vector("q", query), WorkedStep("h", keys), WorkedStep("e = q·h", keys @ query)
