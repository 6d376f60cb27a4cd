"""Bilinear ("general", multiplicative) attention."""

from torch import Tensor, nn

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention


class Bilinear(ScoredAttention):
    """Score by a matrix between query and state, which need not have the same width.

        e[t, s] = q[t]' W h[s]

    Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.1, "general". `W h` is computed
    once per sentence.
    """

    factor = 1.0

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(key_dim, query_dim, bias=False)
        nn.init.xavier_uniform_(self.W.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `W h`."""
        return self.W(states)  # type: ignore[no-any-return]  # [B, S, Q]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """All products at once."""
        return query @ keys.transpose(1, 2)  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """The states behind the matrix, then the products."""
        return vector("q", query), WorkedStep("W h", keys), WorkedStep("e = q·W h", keys @ query)
