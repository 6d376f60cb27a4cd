"""The simple recurrent cell."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters, unroll
from saccade.flow import State, Swept, Ticked, tensor


class Elman(Cell):
    """The simple recurrence, forgetful over long distances.

        h = tanh(W x + U h' + b)

    Elman 1990, "Finding structure in time".
    """

    parts = ("h",)

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W, self.U = gate_parameters(1, input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(hidden_dim))

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b`."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Add the recurrent half and squash."""
        h = torch.tanh(projected + linear(tensor(state, "h"), self.U))  # [B, D]
        return Ticked(h, {"h": h}, {})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """Step by step."""
        return unroll(self, x, state)
