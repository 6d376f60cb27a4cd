"""Coverage attention: additive, knowing how much each place was read already."""

import torch
from torch import Tensor, nn

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import Remembering
from saccade.flow import State, masked_softmax, tensor


class Coverage(Remembering):
    """Score by a one-layer network over query, state and the sum of all weights before.

        c[t, s] = sum_{r < t} a[r, s]
        e[t, s] = v . tanh(W q[t] + U h[s] + w c[t, s] + b)

    See, Liu & Manning 2017 (arXiv:1704.04368), eqs. 10 and 11, after Tu et al. 2016
    (arXiv:1601.04811). Of the first query this is `additive`. The paper's extra loss is
    the objective `coverage`.
    """

    weighing = "a = softmax(e)"

    def __init__(self, query_dim: int, key_dim: int, *, hidden: int = 128) -> None:
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(query_dim, hidden, bias=False)
        self.U = nn.Linear(key_dim, hidden)
        self.w = nn.Linear(1, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)
        for layer in (self.W, self.U, self.w, self.v):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `U h + b`."""
        return self.U(states)  # type: ignore[no-any-return]  # [B, S, hidden]

    def start(self, prepared: State) -> State:
        """Nothing was read."""
        return {"coverage": torch.zeros_like(tensor(prepared, "keys")[:, :, 0])}  # [B, S]

    def weigh_one(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Softmax of the scores, then add the weights to what was read."""
        c = tensor(state, "coverage")  # [B, S]
        mixed = torch.tanh(self.W(query)[:, None] + keys + self.w(c[:, :, None]))  # [B, S, hidden]
        weights = masked_softmax(self.v(mixed).squeeze(-1), mask)  # [B, S]
        return weights, {"coverage": c + weights}

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """The steps of `additive`, with what was read before."""
        c, asked = tensor(state, "coverage")[0], self.W(query)  # [S], [hidden]
        mixed = torch.tanh(asked + keys + self.w(c[:, None]))  # [S, hidden]
        return (
            vector("q", query),
            vector("W q", asked),
            WorkedStep("U h + b", keys),
            WorkedStep("c, read before", c),
            WorkedStep("tanh(W q + U h + w c + b)", mixed),
            WorkedStep("e = v·tanh(W q + U h + w c + b)", self.v(mixed)[:, 0]),
        )
