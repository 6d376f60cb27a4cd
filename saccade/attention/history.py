"""Attention with a memory of how every place was read before."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import Remembering
from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import State, map_state, masked_softmax, nested, tensor
from saccade.parts import Part


class HistoryAttention(Remembering):
    """Score by a one-layer network over query, state and a memory of the place's past weights.

        e[t, s] = v . tanh(W q[t] + U h[s] + G d[t-1, s] + b)
        d[t, s] = cell([a[t, s-r]; ...; a[t, s+r]], d[t-1, s])        r = `around`, d[0, s] = 0

    Yang et al. 2017 (arXiv:1607.05108), section 3. All places share one `cell` of width `memory`;
    it learns what `coverage`, which only adds, is told. Of the first query this is `additive`.
    """

    weighing = "a = softmax(e)"

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        hidden: int = 128,
        cell: Part[Cell] = Part(Cell, "gru"),
        memory: int = 16,
        around: int = 2,
    ) -> None:
        super().__init__(query_dim, key_dim)
        _check(memory, around)
        self.memory, self.around = memory, around
        self.W = nn.Linear(query_dim, hidden, bias=False)
        self.U = nn.Linear(key_dim, hidden)
        self.G = nn.Linear(memory, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)
        self.cell = cell.build(2 * around + 1, memory)
        for layer in (self.W, self.U, self.G, self.v):
            nn.init.xavier_uniform_(layer.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Compute `U h + b`."""
        return self.U(states)  # type: ignore[no-any-return]  # [B, S, hidden]

    def start(self, prepared: State) -> State:
        """No place was read."""
        rows, n_places = tensor(prepared, "keys").shape[:2]
        state = self.cell.start(tensor(prepared, "keys").flatten(0, 1))
        return {"memory": _unflatten(state, rows, n_places)}  # each [B, S, memory]

    def weigh_one(
        self, query: Tensor, keys: Tensor, mask: Tensor, state: State
    ) -> tuple[Tensor, State]:
        """Softmax of the scores, then tell every place how it and its neighbours were read."""
        memory = nested(state, "memory")
        told = self.G(tensor(memory, "h"))  # [B, S, hidden]
        mixed = torch.tanh(self.W(query)[:, None] + keys + told)  # [B, S, hidden]
        weights = masked_softmax(self.v(mixed).squeeze(-1), mask)  # [B, S]
        near = pad(weights, (self.around, self.around)).unfold(1, 2 * self.around + 1, 1)
        flat = map_state(lambda part: part.flatten(0, 1), memory)  # each [B * S, memory]
        after = self.cell(near.flatten(0, 1), flat).state
        return weights, {"memory": _unflatten(after, *weights.shape)}

    def scoring(self, query: Tensor, keys: Tensor, state: State) -> tuple[WorkedStep, ...]:
        """The steps of `additive`, with what every place remembers."""
        asked, told = self.W(query), self.G(tensor(nested(state, "memory"), "h"))[0]
        mixed = torch.tanh(asked + keys + told)  # [S, hidden]
        return (
            vector("q", query),
            vector("W q", asked),
            WorkedStep("U h + b", keys),
            WorkedStep("G d", told),
            WorkedStep("tanh(W q + U h + G d + b)", mixed),
            WorkedStep("e = v·tanh(W q + U h + G d + b)", self.v(mixed)[:, 0]),
        )


def _unflatten(state: State, rows: int, n_places: int) -> State:
    return map_state(lambda part: part.view(rows, n_places, *part.shape[1:]), state)


def _check(memory: int, around: int) -> None:
    problems = []
    if memory < 1:
        problems.append(f"history.memory: {memory} is below 1; it is the width of a memory.")
    if around < 0:
        problems.append(f"history.around: {around} is below 0; 0 tells a place of itself alone.")
    if problems:
        raise RecipeError(problems)
