"""A gate on what attention reads."""

import torch
from torch import Tensor, nn

from saccade.attention._worked import Asked, Worked, vector
from saccade.attention.base import Attention
from saccade.errors import RecipeError
from saccade.flow import Attended, Memory, State
from saccade.parts import Part


class GatedAttention(Attention):
    """Turn down what was read where a word needs little of the source.

        beta[t] = sigmoid(w . q[t] + b)        c[t] = beta[t] attend(q[t])

    Xu et al. 2015 (arXiv:1502.03044), section 4.2.1: one number a step, from the state before it,
    which is the query in Bahdanau's wiring. In Luong's wiring the query is the state after it. The
    paper has it beside soft attention; here `attention` is any. The weights are those of the
    attention: the gate scales what was read and not where it was read.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        attention: Part[Attention] = Part(Attention, "additive"),
    ) -> None:
        super().__init__(query_dim, key_dim)
        self.inner = attention.build(query_dim, key_dim)
        if not self.inner.context_dim:
            raise RecipeError(
                "gated.attention: it reads nothing, so there is nothing to gate. Use another, or"
                " none without a gate."
            )
        self.recurrent, self.normalised = self.inner.recurrent, self.inner.normalised
        self.hard = self.inner.hard
        self.beta = nn.Linear(query_dim, 1)

    @property
    def context_dim(self) -> int:
        """That of the attention."""
        return self.inner.context_dim

    @property
    def names(self) -> tuple[str, ...]:
        """The attention's own."""
        return self.inner.names

    def prepare(self, states: Tensor) -> State:
        """Prepare as the attention does."""
        return self.inner.prepare(states)

    def prepare_memory(self, memory: Memory) -> State:
        """Prepare as the attention does."""
        return self.inner.prepare_memory(memory)

    def start(self, prepared: State) -> State:
        """Start as the attention does."""
        return self.inner.start(prepared)

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read, then gate."""
        context, weights, state = self.inner(query, prepared, mask, state, look=look)
        return Attended(torch.sigmoid(self.beta(query)) * context, weights, state)  # [B, T, C]

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """The attention's own steps, then the gate."""
        beta = torch.sigmoid(self.beta(asked.query[0, 0]))  # [1]
        return tuple(
            one.then(vector("β = σ(w·q + b)", beta), vector("β c", beta * one.steps[-1].value))
            for one in self.inner.work(asked)
        )
