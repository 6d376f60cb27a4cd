"""Another cell with some of its gates held open or shut."""

from collections.abc import Mapping

import torch
from torch import Tensor

from saccade.cells.base import Cell, unroll
from saccade.errors import RecipeError
from saccade.flow import State, Swept, Ticked
from saccade.parts import Part

_FAR = 1e4  # a sum under which a gate is one, and under whose negative it is zero, to the last bit


class Clamped(Cell):
    """A cell that computes as another one does, but for gates that are 0 or 1 whatever it reads.

        gate = 0 or 1            for the gates named, as `{forget: 0, input: 1}`
        gate = s(...)            for the others

    Gates are those of `lstm` (input, forget, output) and of `gru` and the `mut` cells (reset,
    update). With `forget: 0` an LSTM has no past but `h`; with `forget: 1` and `input: 1` it adds
    up; with both 0 its memory is empty. The weights are those of the cell within, so that a trained
    cell can be clamped: `look.clamping`.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "lstm"),
        gates: dict[str, float] = {},  # noqa: B006 - only read
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self._hold(cell.build(input_dim, hidden_dim), gates)

    @classmethod
    def around(cls, cell: Cell, gates: Mapping[str, float]) -> "Clamped":
        """Clamp gates of a cell that is there already, and may be trained."""
        built = cls.__new__(cls)
        Cell.__init__(built, cell.input_dim, cell.hidden_dim)
        built._hold(cell, gates)
        return built

    def _hold(self, cell: Cell, gates: Mapping[str, float]) -> None:
        self.cell, self.parts, self.slices = cell, cell.parts, cell.slices
        known = gates_of(cell)
        odd = [f"{name}: {value:g}" for name, value in gates.items() if value not in (0, 1)]
        odd += [name for name in gates if name not in known]
        if odd:
            raise RecipeError(
                f"clamped.gates: found {odd[0]}; expected 0 or 1 for some of the gates of"
                f" {type(cell).__name__}: {', '.join(known) or 'it has none'}. Change gates."
            )
        self._held = {self.slices.index(name): _FAR * (2 * gates[name] - 1) for name in gates}

    def project(self, x: Tensor) -> Tensor:
        """Do the other cell's input half; the slices of clamped gates are far from zero."""
        projected = self.cell.project(x)
        if not self._held:
            return projected
        slices = list(torch.split(projected, self.hidden_dim, dim=-1))
        for place, value in self._held.items():
            slices[place] = torch.full_like(slices[place], value)
        return torch.cat(slices, dim=-1)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Do the other cell's recurrent half."""
        return self.cell.tick(projected, state)

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps by the other cell's kernel if nothing is clamped, else one by one."""
        return unroll(self, x, state) if self._held else self.cell.sweep(x, state)

    def started(self, given: State) -> State:
        """Start as the other cell does."""
        return self.cell.started(given)


@torch.no_grad()
def gates_of(cell: Cell) -> list[str]:
    """Name the gates of a cell that can be clamped."""
    blank = next(cell.parameters()).new_zeros(1, cell.input_dim)
    gates = cell(blank, cell.start(blank)).gates
    return [name for name in cell.slices if name in gates]
