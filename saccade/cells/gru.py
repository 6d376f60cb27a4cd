"""The gated recurrent unit, in both published forms."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters
from saccade.flow import State, Swept, Ticked, tensor
from saccade.kernels.gated_sweep import gated_sweep


class GRU(Cell):
    """Two gates and no memory of its own: keep the old output or take the new one.

        r = s(W_r x + U_r h' + b_r)        how much of the past the proposal sees
        z = s(W_z x + U_z h' + b_z)        how much of the past stays
        n = tanh(W_n x + b_n + r (U_n h' + d))        reset: after      (torch, cuDNN)
        n = tanh(W_n x + b_n + U_n (r h') + d)        reset: before     (Cho et al. 2014, eq. 5-8)
        h = (1 - z) n + z h'

    Cho et al. 2014 (arXiv:1406.1078). Papers differ on which of `n` and `h'` the gate `z` keeps; we
    follow torch. The rows of `W` and `U` are r, z, n.
    """

    parts = ("h",)
    slices = ("reset", "update", "proposal")

    def __init__(
        self, input_dim: int, hidden_dim: int, *, reset: Literal["after", "before"] = "after"
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.reset = reset
        self.W, self.U = gate_parameters(3, input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.d = nn.Parameter(torch.zeros(hidden_dim))

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b` for r, z and n."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Open the gates, propose, blend."""
        h, n_gates = tensor(state, "h"), 2 * self.hidden_dim
        gates, x_n = torch.split(projected, [n_gates, self.hidden_dim], dim=1)  # [B, 2D], [B, D]
        if self.reset == "after":
            h_gates, h_n = torch.split(linear(h, self.U), [n_gates, self.hidden_dim], dim=1)
            r, z = (gates + h_gates).sigmoid().chunk(2, dim=1)  # 2 x [B, D]
            n = torch.tanh(x_n + r * (h_n + self.d))  # [B, D]
        else:
            r, z = (gates + linear(h, self.U[:n_gates])).sigmoid().chunk(2, dim=1)  # 2 x [B, D]
            n = torch.tanh(x_n + linear(r * h, self.U[n_gates:], self.d))  # [B, D]
        h = (1 - z) * n + z * h
        return Ticked(h, {"h": h}, {"reset": r, "update": z})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps in torch's kernel where it computes the same, else by `gated_sweep`.

        There `z` is how much is new, and `1 - s(a) = s(-a)`.
        """
        if self.reset == "before":
            a_r, a_z, a_n = self.project(x).chunk(3, dim=2)  # 3 x [B, T, D]
            U_r, U_z, U_n = self.U.chunk(3)
            a = torch.cat([-a_z, a_r, a_n + self.d], dim=2)  # [B, T, 3D]
            outputs = gated_sweep(a, tensor(state, "h"), -U_z, U_r, U_n, squashes=False)
            return Swept(outputs, {"h": outputs[:, -1]})
        hidden_bias = torch.cat([self.b.new_zeros(2 * self.hidden_dim), self.d])
        weights = [self.W, self.U, self.b, hidden_bias]
        start = tensor(state, "h")[None]  # [1, B, D]
        outputs, h = torch.gru(x, start, weights, True, 1, 0.0, self.training, False, True)  # noqa: FBT003
        return Swept(outputs, {"h": h[0]})
