"""What a recurrent cell is: one step, and how to take all steps of a known sequence."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.flow import State, Swept, Ticked
from saccade.kernels.lstm import LstmWeights


class Addressed(NamedTuple):
    """Where the heads of a cell with a memory are, and what they do there.

    write: `[B, W, N]`, the weights of the heads that write.  written: `[B, W, M]`, what stands
    there now.  read: `[B, R, N]`.  vectors: `[B, R, M]`, what was read.
    """

    write: Tensor
    written: Tensor
    read: Tensor
    vectors: Tensor


class Cell(nn.Module, ABC):
    """One recurrence, `h[t] = f(x[t], state[t-1])`.

    `project` does the half of the step that needs only the input, for any number of steps at once;
    `tick` does the half that needs the state before it. `forward` is the two together.
    """

    parts: tuple[str, ...]
    """Entries of its State, each `[B, D]`, that a host may give it to start from.

    The output is "h". A cell may keep more in its State, such as a memory.
    """

    slices: tuple[str, ...] = ()
    """What stands in the input half of a step, each `[..., D]`, where it is made of such slices.

    One that has the name of a gate becomes that gate: `gate = s(slice + what the state adds)`.
    """

    addresses: ClassVar[bool] = False  # True if it has a memory, so that `addressed` can tell

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.hidden_dim = hidden_dim

    @abstractmethod
    def project(self, x: Tensor) -> Tensor:
        """Do the input half: `[..., input_dim]` to `[..., G]`."""

    @abstractmethod
    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Do the recurrent half of one step: projected input `[B, G]`."""

    @abstractmethod
    def sweep(self, x: Tensor, state: State) -> Swept:
        """Take all steps of `x [B, T, input_dim]`: `unroll`, or a kernel that equals it."""

    def as_lstm(self) -> LstmWeights | None:
        """Return the weights if this is an LSTM: kernels know no other cell."""
        return None

    def forward(self, x: Tensor, state: State) -> Ticked:
        """Take one step: `x [B, input_dim]`."""
        return self.tick(self.project(x), state)

    def start(self, like: Tensor) -> State:
        """Return the state before the first step for as many rows as `like` has, parts zero."""
        zeros = {name: like.new_zeros(like.shape[0], self.hidden_dim) for name in self.parts}
        return self.started({**zeros})

    def started(self, given: State) -> State:
        """Return the state before the first step whose `parts` are given, each `[B, D]`."""
        return dict(given)

    def addressed(self, state: State) -> Addressed | None:
        """Tell where the heads are after a step; None of a cell without a memory."""
        return None


def unroll(cell: Cell, x: Tensor, state: State) -> Swept:
    """Take all steps of `x [B, T, D]` one by one; the clear version of every kernel."""
    projected = cell.project(x)  # [B, T, G]
    outputs = []
    for one in projected.unbind(dim=1):
        output, state, _ = cell.tick(one, state)
        outputs.append(output)
    return Swept(torch.stack(outputs, dim=1), state)  # [B, T, D]


def gate_parameters(
    n_gates: int, input_dim: int, hidden_dim: int
) -> tuple[nn.Parameter, nn.Parameter]:
    """Make `W [G*D, input_dim]`, Glorot, and `U [G*D, D]`, orthogonal for each gate."""
    W = nn.Parameter(torch.empty(n_gates * hidden_dim, input_dim))
    U = nn.Parameter(torch.empty(n_gates * hidden_dim, hidden_dim))
    for gate in range(n_gates):
        rows = slice(gate * hidden_dim, (gate + 1) * hidden_dim)
        nn.init.xavier_uniform_(W.data[rows])
        nn.init.orthogonal_(U.data[rows])
    return W, U


def input_matrix(n_gates: int, input_dim: int, hidden_dim: int) -> nn.Parameter:
    """Make `W [G*D, input_dim]`, Glorot for each gate."""
    W = nn.Parameter(torch.empty(n_gates * hidden_dim, input_dim))
    for rows in W.data.chunk(n_gates):
        nn.init.xavier_uniform_(rows)
    return W


def recurrent_matrix(n_gates: int, hidden_dim: int) -> nn.Parameter:
    """Make `U [G*D, D]`, orthogonal for each gate."""
    U = nn.Parameter(torch.empty(n_gates * hidden_dim, hidden_dim))
    for rows in U.data.chunk(n_gates):
        nn.init.orthogonal_(rows)
    return U


def bare_map(input_dim: int, hidden_dim: int) -> nn.Parameter | None:
    """Make the map for an `x` that stands alone in an equation; None if it is as wide as `h`."""
    return None if input_dim == hidden_dim else input_matrix(1, input_dim, hidden_dim)
