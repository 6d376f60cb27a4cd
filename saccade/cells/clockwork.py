"""The clockwork cell: groups of units that move at different speeds."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters
from saccade.errors import RecipeError
from saccade.flow import State, Swept, Ticked, tensor

_SLOWEST = 1_000_000


class Clockwork(Cell):
    """A simple recurrence in groups, each of which moves only when its clock ticks.

        h_g = tanh(W_g x + sum_{k >= g} U_gk h_k' + b_g)        if t mod T_g = 0
        h_g = h_g'                                              otherwise

    t counts from 0. A group hears itself and slower ones, T_k >= T_g, so that a slow group hands on
    what it has kept over many steps, and a gradient reaches back T_g times farther through it:
    Koutnik, Greff, Gomez & Schmidhuber 2014 (arXiv:1402.3511), equations 3 and 4. The units are
    shared out evenly among the groups, the first ones having one more where they do not divide.
    With periods [1] it is `elman`.

    State: `h`, and `clock [B, 1]`, the number of steps taken.
    """

    parts = ("h",)

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        periods: list[int] = [1, 2, 4, 8],  # noqa: B006 - only read
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        rising = list(periods) == sorted(set(periods))
        if not periods or not rising or periods[0] < 1 or periods[-1] > _SLOWEST:
            raise RecipeError(
                f"clockwork.periods: found {list(periods)}; expected whole numbers from 1 to"
                f" {_SLOWEST:,}, each larger than the one before, as [1, 2, 4, 8]. Change them."
            )
        if len(periods) > hidden_dim:
            raise RecipeError(
                f"clockwork.periods: {len(periods)} groups for {hidden_dim} units; expected one"
                " unit or more in each. Name fewer periods, or raise hidden."
            )
        self.W, self.U = gate_parameters(1, input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(hidden_dim))
        of_unit = torch.tensor(sorted(periods[i % len(periods)] for i in range(hidden_dim)))
        self.register_buffer("period", of_unit.float(), persistent=False)
        hears = of_unit[:, None] <= of_unit  # [D, D]
        self.register_buffer("hears", hears.float(), persistent=False)
        self.U.data.mul_(self.hears)

    period: Tensor
    hears: Tensor

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b`."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Move the groups whose clock ticks."""
        return self._tick(projected, state, self.U * self.hears)

    def _tick(self, projected: Tensor, state: State, U: Tensor) -> Ticked:
        before, clock = tensor(state, "h"), tensor(state, "clock")  # [B, D], [B, 1]
        moved = torch.tanh(projected + linear(before, U))
        h = torch.where(torch.remainder(clock, self.period) == 0, moved, before)  # [B, D]
        return Ticked(h, {"h": h, "clock": clock + 1}, {})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """Take all steps, with the matrix of those who hear each other made once."""
        U, outputs = self.U * self.hears, []
        for one in self.project(x).unbind(dim=1):
            output, state, _ = self._tick(one, state, U)
            outputs.append(output)
        return Swept(torch.stack(outputs, dim=1), state)  # [B, T, D]

    def started(self, given: State) -> State:
        """Set all clocks to the first step."""
        h = tensor(given, "h")
        return {"h": h, "clock": h.new_zeros(h.shape[0], 1)}
