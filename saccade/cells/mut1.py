"""The first of the three cells found by search."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._gated import Gated
from saccade.cells.base import bare_map, input_matrix, recurrent_matrix


class Mut1(Gated):
    """A GRU whose update gate does not see the past and whose proposal takes the input as it is.

        z = s(W_z x + b_z)
        r = s(W_r x + U_r h' + b_r)
        h = tanh(U_n (r h') + tanh(x) + b_n) z + h' (1 - z)

    Jozefowicz, Zaremba & Sutskever 2015, "An empirical exploration of recurrent network
    architectures", section 3.5. `x` stands alone only where it is as wide as `h`, as in the paper;
    elsewhere it is `V x`. The rows of `W` are z, r; those of `b` are z, r, n.
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W = input_matrix(2, input_dim, hidden_dim)
        self.U_z = None
        self.U_r = recurrent_matrix(1, hidden_dim)
        self.U_n = recurrent_matrix(1, hidden_dim)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.V = bare_map(input_dim, hidden_dim)

    def project(self, x: Tensor) -> Tensor:
        """Compute `W_z x`, `W_r x` and `tanh(x)`, with their biases."""
        alone = x if self.V is None else linear(x, self.V)
        return torch.cat([linear(x, self.W), alone.tanh()], dim=-1) + self.b  # [..., 3D]
