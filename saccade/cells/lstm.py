"""Long short-term memory, whole and with a gate taken out."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells.base import Cell, gate_parameters
from saccade.flow import State, Swept, Ticked, tensor
from saccade.kernels.lstm import LstmStates, LstmWeights, lstm
from saccade.kernels.precision import lowest

_GATES = ("input", "forget", "write", "output")
_OPEN = 100.0  # a bias under which a gate is one, to the last bit of a double


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

    `without` takes one gate out, as in the ablations of the latter paper: it is one for ever and
    has no parameters, so that `c = f c' + g`, `c = c' + i g` or `h = tanh(c)`.
    """

    parts = ("h", "c")

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        forget_bias: float = 1.0,
        without: Literal["none", "input", "forget", "output"] = "none",
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.slices = tuple(gate for gate in _GATES if gate != without)
        self.W, self.U = gate_parameters(len(self.slices), input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(len(self.slices) * hidden_dim))
        if "forget" in self.slices:
            first = self.slices.index("forget") * hidden_dim
            nn.init.constant_(self.b.data[first : first + hidden_dim], forget_bias)

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b` for the gates there are."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Open the gates, update the memory, read from it."""
        sums = projected + linear(tensor(state, "h"), self.U)  # [B, G*D]
        found = dict(zip(self.slices, sums.chunk(len(self.slices), dim=1), strict=True))
        g = found.pop("write").tanh()  # [B, D]
        gates = {name: one.sigmoid() for name, one in found.items()}  # G - 1 x [B, D]
        c = _through(gates.get("forget"), tensor(state, "c")) + _through(gates.get("input"), g)
        h = _through(gates.get("output"), c.tanh())  # [B, D]
        return Ticked(h, {"h": h, "c": c}, gates)

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps in our kernel, or else in torch's, which wants a second bias: zeros."""
        h, c = tensor(state, "h"), tensor(state, "c")  # 2 x [B, D]
        weights = self.as_lstm()
        swept = lstm(x, h, c, weights)
        if swept is None:
            swept = _torch_lstm(x, h, c, weights, training=self.training)
        return Swept(swept.outputs, {"h": swept.h, "c": swept.c})

    def as_lstm(self) -> LstmWeights:
        """Return W, U and b of four gates; the bias of one that was taken out holds it open."""
        rows = (self._four(self.W, 0.0), self._four(self.U, 0.0), self._four(self.b, _OPEN))
        return LstmWeights(*rows)

    def _four(self, weight: Tensor, filling: float) -> Tensor:
        """Put rows of `filling` where a gate was taken out."""
        if len(self.slices) == len(_GATES):
            return weight
        rows = dict(zip(self.slices, weight.chunk(len(self.slices)), strict=True))
        absent = weight.new_full((self.hidden_dim, *weight.shape[1:]), filling)
        return torch.cat([rows.get(gate, absent) for gate in _GATES])


def _through(gate: Tensor | None, x: Tensor) -> Tensor:
    return x if gate is None else gate * x


def _torch_lstm(
    x: Tensor, h: Tensor, c: Tensor, weights: LstmWeights, *, training: bool
) -> LstmStates:
    """Take all steps in torch's kernel: equals `unroll`."""
    with lowest(x.device):
        if not torch.is_autocast_enabled(x.device.type):
            x, h, c = (one.to(weights.W.dtype) for one in (x, h, c))
        start, given = [h[None], c[None]], [*weights, torch.zeros_like(weights.b)]
        outputs, h, c = torch.lstm(x, start, given, True, 1, 0.0, training, False, True)  # noqa: FBT003
    return LstmStates(outputs, h[0], c[0])
