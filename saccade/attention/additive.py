"""Additive attention."""

import torch
from torch import Tensor, nn

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention
from saccade.kernels.additive import additive_scores
from saccade.kernels.precision import restored


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
        return restored(self.U(states))  # [B, S, hidden]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """Add every query to every key, squash, project to a number."""
        asked = restored(self.W(query))  # [B, T, hidden]
        scores = additive_scores(asked, keys, self.v.weight[0])
        if scores is not None:
            return scores
        mixed = torch.tanh(asked[:, :, None] + keys[:, None])  # [B, T, S, hidden]
        return self.v(mixed).squeeze(-1)  # type: ignore[no-any-return]  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """Both halves, their sum squashed, and its product with v."""
        asked = self.W(query)  # [hidden]
        mixed = torch.tanh(asked + keys)  # [S, hidden]
        return (
            vector("q", query),
            vector("W q", asked),
            WorkedStep("U h + b", keys),
            WorkedStep("tanh(W q + U h + b)", mixed),
            WorkedStep("e = v·tanh(W q + U h + b)", self.v(mixed)[:, 0]),
        )
