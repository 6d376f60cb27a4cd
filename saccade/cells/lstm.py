"""Long short-term memory."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters
from saccade.flow import State, Swept, Ticked, tensor


class LSTM(Cell):
    """A memory `c` that gates write to, keep and read from.

        i = s(W_i x + U_i h' + b_i)        write
        f = s(W_f x + U_f h' + b_f)        keep
        g = tanh(W_g x + U_g h' + b_g)     what to write
        o = s(W_o x + U_o h' + b_o)        read
        c = f c' + i g
        h = o tanh(c)

    Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000. `b_f` starts at
    `forget_bias`: Jozefowicz et al. 2015, section 2.3. The rows of `W`, `U` and `b` are i, f, g, o.
    """

    parts = ("h", "c")

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.W, self.U = gate_parameters(4, input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(4 * hidden_dim))
        nn.init.constant_(self.b.data[hidden_dim : 2 * hidden_dim], forget_bias)

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b` for the four gates."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Open the gates, update the memory, read from it."""
        i, f, g, o = (projected + linear(tensor(state, "h"), self.U)).chunk(4, dim=1)  # 4 x [B, D]
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * tensor(state, "c") + i * g  # [B, D]
        h = o * c.tanh()  # [B, D]
        return Ticked(h, {"h": h, "c": c}, {"input": i, "forget": f, "output": o})

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps in torch's kernel, which wants a second bias: zeros."""
        start = [tensor(state, name)[None] for name in self.parts]  # 2 x [1, B, D]
        weights = [self.W, self.U, self.b, torch.zeros_like(self.b)]
        outputs, h, c = torch.lstm(x, start, weights, True, 1, 0.0, self.training, False, True)  # noqa: FBT003
        return Swept(outputs, {"h": h[0], "c": c[0]})
