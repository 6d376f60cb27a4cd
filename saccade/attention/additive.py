"""Additive attention."""

import torch
from torch import Tensor, nn

from saccade.attention.base import ScoredAttention


class Additive(ScoredAttention):
    """Score by a one-layer network over query and state.

        e[t, s] = v . tanh(W q[t] + U h[s] + b)

    Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), A.1.2. `U h + b` is computed once per sentence.
    """

    def __init__(self, query_dim: int, key_dim: int, *, hidden: int = 128) -> None:
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(query_dim, hidden, bias=False)
        self.U = nn.Linear(key_dim, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)
        for layer in (self.W, self.U, self.v):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `U h + b`."""
        return self.U(states)  # type: ignore[no-any-return]  # [B, S, hidden]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """Add every query to every key, squash, project to a number."""
        mixed = torch.tanh(self.W(query)[:, :, None] + keys[:, None])  # [B, T, S, hidden]
        return self.v(mixed).squeeze(-1)  # type: ignore[no-any-return]  # [B, T, S]
