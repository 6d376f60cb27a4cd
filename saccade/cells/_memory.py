"""Cells with a memory beside the state of their controller: what they have in common."""

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Addressed, Cell, unroll
from saccade.errors import RecipeError
from saccade.flow import State, Swept, Ticked, tensor
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.parts import Part

_INNER = "controller"  # the entry of the controller's own output; "h" is the whole cell's
_MOST_SLOTS = 65_536
_WIDEST = 4096
_MOST_HEADS = 64


class MemorySize(NamedTuple):
    """How large a memory is, and how many heads read it and write to it."""

    slots: int
    width: int
    reads: int
    writes: int = 1

    def check(self, owner: str) -> None:
        """Refuse a size that cannot be."""
        limits = (_MOST_SLOTS, _WIDEST, _MOST_HEADS, _MOST_HEADS)
        for name, found, most in zip(self._fields, self, limits, strict=True):
            if not 1 <= found <= most:
                raise RecipeError(
                    f"{owner}.{name}: found {found}; expected 1 to {most:,}. Change it."
                )


class MemoryCell(Cell):
    """A controller that reads a memory and writes to it at every step.

        o, s = controller([x; r'], s')          what the heads read at the step before is input too
        (heads of o) read r from the memory and write to it
        h = W [o; r] + b

    A part says how its heads work in `access`. State: the controller's, `memory [B, N, M]`,
    `read_vectors [B, R, M]`, `read [B, R, N]` and `write [B, W, N]`, where the heads are, and what
    else a part needs.
    """

    addresses: ClassVar[bool] = True

    def __init__(
        self, input_dim: int, hidden_dim: int, controller: Part[Cell], size: MemorySize
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        size.check(controller_of(type(self)))
        self.size = size
        self.controller = controller.build(input_dim, hidden_dim)
        self.parts = self.controller.parts
        zeros = torch.zeros(1, input_dim)
        self._inner = tuple(self.controller.start(zeros))
        if "memory" in self._inner:
            raise RecipeError(
                f"{controller_of(type(self))}.controller: {controller.kind} has a memory of its"
                " own; expected a cell without one, such as lstm. Change it."
            )
        with torch.no_grad():
            n_projected = self.controller.project(zeros).shape[1]
        read_dim = size.reads * size.width
        self.V = nn.Parameter(torch.empty(n_projected, read_dim))  # the input matrix of r'
        self.output = nn.Linear(hidden_dim + read_dim, hidden_dim)
        nn.init.xavier_uniform_(self.V)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    @abstractmethod
    def blank(self, like: Tensor) -> State:
        """Return the first entries that `access` needs, for as many rows as `like [B, D]` has."""

    @abstractmethod
    def access(self, control: Tensor, state: State) -> State:
        """Read and write as the controller's output `[B, D]` says; return the entries after it."""

    def project(self, x: Tensor) -> Tensor:
        """Do the controller's input half, of what is known before any step."""
        return self.controller.project(x)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Move the controller, let its heads work, join what they read."""
        r = tensor(state, "read_vectors").flatten(1)  # [B, R M]
        inner: State = {name: state[_INNER if name == "h" else name] for name in self._inner}
        control, inner, gates = self.controller.tick(projected + linear(r, self.V), inner)
        after = self.access(control, state)
        r = tensor(after, "read_vectors").flatten(1)
        joined = torch.cat([control, r], dim=1)
        h = linear(joined, self.output.weight, self.output.bias)  # [B, D]
        return Ticked(h, {**inner, _INNER: control, "h": h, **after}, gates)

    def sweep(self, x: Tensor, state: State) -> Swept:
        """Take all steps, with one product for the gradient of every matrix."""
        if not torch.is_grad_enabled():
            return unroll(self, x, state)
        with GatherWeightGradients():
            return unroll(self, x, state)

    def started(self, given: State) -> State:
        """Return the first state, with the memory blank."""
        h = tensor(given, "h")
        inner = self.controller.started(given)
        return {**inner, _INNER: h, "h": h, **self.blank(h)}

    def addressed(self, state: State) -> Addressed:
        """Tell where the heads are, and what they read and what stands where they wrote."""
        memory, reads = tensor(state, "memory"), tensor(state, "read_vectors")
        read, write = tensor(state, "read"), tensor(state, "write")
        return Addressed(write, write @ memory, read, reads)


def controller_of(cell: type[Cell]) -> str:
    """Name a cell as a recipe does.

    >>> controller_of(Cell)
    'base'
    """
    return cell.__module__.rpartition(".")[2]
