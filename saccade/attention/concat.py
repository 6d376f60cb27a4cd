"""Concat attention, the multi-layer perceptron in its original form."""

import torch
from torch import Tensor, nn

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention


class Concat(ScoredAttention):
    """Score by a one-layer network over query and state laid end to end.

        e[t, s] = w2 . tanh(W1 [q[t]; h[s]])

    Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.1, "concat". With `W1 = [A C]`, cut
    where q ends, `W1 [q; h] = A q + C h`: this is `additive` without its bias, the pairs `[q; h]`
    are never laid out and `C h` is computed once per sentence.
    """

    def __init__(self, query_dim: int, key_dim: int, *, hidden: int = 128) -> None:
        super().__init__(query_dim, key_dim)
        self.W1 = nn.Linear(query_dim + key_dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, 1, bias=False)
        for layer in (self.W1, self.w2):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `C h`, the states' half of `W1 [q; h]`."""
        return states @ self.W1.weight[:, self.query_dim :].T  # [B, S, hidden]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """Add the query's half, squash, project to a number."""
        asked = query @ self.W1.weight[:, : self.query_dim].T  # [B, T, hidden]
        mixed = torch.tanh(asked[:, :, None] + keys[:, None])  # [B, T, S, hidden]
        return self.w2(mixed).squeeze(-1)  # type: ignore[no-any-return]  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """Both halves of `W1 [q; h] = A q + C h`, squashed, and their product with w2."""
        asked = self.W1.weight[:, : self.query_dim] @ query  # [hidden]
        mixed = torch.tanh(asked + keys)  # [S, hidden]
        return (
            vector("q", query),
            vector("A q", asked),
            WorkedStep("C h", keys),
            WorkedStep("tanh(W1 [q; h])", mixed),
            WorkedStep("e = w2·tanh(W1 [q; h])", self.w2(mixed)[:, 0]),
        )
