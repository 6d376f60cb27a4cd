"""Scaled dot-product attention with a projection of the states and one of the query."""

from math import sqrt

from torch import Tensor, nn

from saccade.attention.base import ScoredAttention


class ProjectedDot(ScoredAttention):
    """Score by the product of projections of state and query, over the root of their width.

        e[t, s] = (W h[s]) . (U q[t]) / sqrt(d)

    The score of one head of Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2, with the states
    themselves as values. `bilinear` has the product `W' U` as one matrix, of any rank; here its
    rank is at most `hidden`, which is d. `W h` is computed once per sentence.
    """

    def __init__(self, query_dim: int, key_dim: int, *, hidden: int = 128) -> None:
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(key_dim, hidden, bias=False)
        self.U = nn.Linear(query_dim, hidden, bias=False)
        for layer in (self.W, self.U):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `W h`."""
        return self.W(states)  # type: ignore[no-any-return]  # [B, S, d]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """All products at once."""
        asked: Tensor = self.U(query)  # [B, T, d]
        return asked @ keys.transpose(1, 2) / sqrt(keys.shape[-1])  # [B, T, S]
