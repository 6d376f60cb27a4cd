"""The third of the three cells found by search."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._gated import Gated
from saccade.cells.base import input_matrix, recurrent_matrix


class Mut3(Gated):
    """A GRU whose update gate sees the past through a tanh.

        z = s(W_z x + U_z tanh(h') + b_z)
        r = s(W_r x + U_r h' + b_r)
        h = tanh(U_n (r h') + W_n x + b_n) z + h' (1 - z)

    Jozefowicz, Zaremba & Sutskever 2015, "An empirical exploration of recurrent network
    architectures", section 3.5. The rows of `W` and `b` are z, r, n.
    """

    squashes = True

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W = input_matrix(3, input_dim, hidden_dim)
        self.U_z = recurrent_matrix(1, hidden_dim)
        self.U_r = recurrent_matrix(1, hidden_dim)
        self.U_n = recurrent_matrix(1, hidden_dim)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b` for z, r and n."""
        return linear(x, self.W, self.b)
