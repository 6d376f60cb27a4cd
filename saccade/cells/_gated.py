"""Cells of the kind `h = z n + (1 - z) h'` whose proposal sees `r h'`: their step and their sweep.

The three found by search (mut1, mut2, mut3) are such cells, and so is the GRU as first published.
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell
from saccade.flow import State, Swept, Ticked, tensor
from saccade.kernels.gated_sweep import gated_sweep


class Gated(Cell):
    """A cell of two gates, given what each of them and the proposal take from the input.

        z = s(a_z + U_z h')            h' stands for tanh(h') here if the cell squashes it
        r = s(a_r + U_r h')
        n = tanh(a_n + U_n (r h'))
        h = z n + (1 - z) h'

    A part computes `a = [a_z; a_r; a_n]` in `project`, biases included, and holds the matrices.
    """

    parts = ("h",)
    slices = ("update", "reset", "proposal")
    squashes: bool = False

    U_z: nn.Parameter | None
    U_r: nn.Parameter
    U_n: nn.Parameter

    @abstractmethod
    def project(self, x: Tensor) -> Tensor:
        """Compute `a [..., 3D]`."""

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Open the gates, propose, blend."""
        h = tensor(state, "h")  # [B, D]
        a_z, a_r, a_n = projected.chunk(3, dim=1)  # 3 x [B, D]
        if self.U_z is not None:
            a_z = a_z + linear(h.tanh() if self.squashes else h, self.U_z)
        z, r = a_z.sigmoid(), (a_r + linear(h, self.U_r)).sigmoid()  # 2 x [B, D]
        n = torch.tanh(a_n + linear(r * h, self.U_n))  # [B, D]
        h = z * n + (1 - z) * h
        return Ticked(h, {"h": h}, {"reset": r, "update": z})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps with the gradient written out."""
        outputs = gated_sweep(
            self.project(x),
            tensor(state, "h"),
            self.U_z,
            self.U_r,
            self.U_n,
            squashes=self.squashes,
        )
        return Swept(outputs, {"h": outputs[:, -1]})
