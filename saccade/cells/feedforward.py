"""A layer without a memory of its own: the controller of a machine that has one."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, input_matrix
from saccade.flow import State, Swept, Ticked


class Feedforward(Cell):
    """Forgets everything: each step sees its own input alone.

        h = tanh(W x + b)

    As the controller of `ntm` or `dnc` it remembers only what it writes to their memory, so where
    its heads are is all that it knows of the past: Graves, Wayne & Danihelka 2014
    (arXiv:1410.5401), section 3.4. Alone it is a layer for every place.
    """

    parts = ("h",)

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W = input_matrix(1, input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(hidden_dim))

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b`."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Squash."""
        h = projected.tanh()  # [B, D]
        return Ticked(h, {"h": h}, {})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps at once."""
        outputs = self.project(x).tanh()  # [B, T, D]
        return Swept(outputs, {"h": outputs[:, -1]})
