"""The simple recurrent cell."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters
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
        """All steps in torch's kernel, which wants a second bias: zeros.

        With 64 rows of 30 steps and width 256, forward and back: 25 to 20 ms on one core.
        """
        weights = [self.W, self.U, self.b, torch.zeros_like(self.b)]
        start = tensor(state, "h")[None]  # [1, B, D]
        outputs, h = torch.rnn_tanh(x, start, weights, True, 1, 0.0, self.training, False, True)  # noqa: FBT003
        return Swept(outputs, {"h": h[0]})
