"""The second of the three cells found by search."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._gated import Gated
from saccade.cells.base import bare_map, input_matrix, recurrent_matrix


class Mut2(Gated):
    """A GRU whose reset gate takes the input as it is.

        z = s(W_z x + U_z h' + b_z)
        r = s(x + U_r h' + b_r)
        h = tanh(U_n (r h') + W_n x + b_n) z + h' (1 - z)

    Jozefowicz, Zaremba & Sutskever 2015, "An empirical exploration of recurrent network
    architectures", section 3.5. `x` stands alone only where it is as wide as `h`, as in the paper;
    elsewhere it is `V x`. The rows of `W` are z, n; those of `b` are z, r, n.
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W = input_matrix(2, input_dim, hidden_dim)
        self.U_z = recurrent_matrix(1, hidden_dim)
        self.U_r = recurrent_matrix(1, hidden_dim)
        self.U_n = recurrent_matrix(1, hidden_dim)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.V = bare_map(input_dim, hidden_dim)

    def project(self, x: Tensor) -> Tensor:
        """Compute `W_z x`, `x` and `W_n x`, with their biases."""
        alone = x if self.V is None else linear(x, self.V)
        z, n = linear(x, self.W).chunk(2, dim=-1)  # 2 x [..., D]
        return torch.cat([z, alone, n], dim=-1) + self.b  # [..., 3D]
