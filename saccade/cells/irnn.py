"""The simple recurrent cell with rectified units that begins by adding up."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters, unroll
from saccade.flow import State, Swept, Ticked, tensor


class Irnn(Cell):
    """Adds what it reads to what it knows, at first: U is the identity.

        h = relu(W x + U h' + b)

    Le, Jaitly & Hinton 2015 (arXiv:1504.00941). Mnih et al. 2014 (arXiv:1406.6247), section 4, use
    rectified units for the core of their eye.
    """

    parts = ("h",)

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W, self.U = gate_parameters(1, input_dim, hidden_dim)
        with torch.no_grad():
            self.U.copy_(torch.eye(hidden_dim))
        self.b = nn.Parameter(torch.zeros(hidden_dim))

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b`."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Add the recurrent half and rectify."""
        h = torch.relu(projected + linear(tensor(state, "h"), self.U))  # [B, D]
        return Ticked(h, {"h": h}, {})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps, one by one."""
        return unroll(self, x, state)
