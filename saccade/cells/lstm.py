"""Long short-term memory, whole and with a gate taken out."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._swept import LstmBoth, LstmSteps, kernels_for
from saccade.cells.base import Cell, gate_parameters
from saccade.flow import State, Swept, Ticked, tensor
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
        self.gates = tuple(gate for gate in _GATES if gate != without)
        self.W, self.U = gate_parameters(len(self.gates), input_dim, hidden_dim)
        self.b = nn.Parameter(torch.zeros(len(self.gates) * hidden_dim))
        if "forget" in self.gates:
            first = self.gates.index("forget") * hidden_dim
            nn.init.constant_(self.b.data[first : first + hidden_dim], forget_bias)

    def project(self, x: Tensor) -> Tensor:
        """Compute `W x + b` for the gates there are."""
        return linear(x, self.W, self.b)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Open the gates, update the memory, read from it."""
        sums = projected + linear(tensor(state, "h"), self.U)  # [B, G*D]
        found = dict(zip(self.gates, sums.chunk(len(self.gates), dim=1), strict=True))
        g = found.pop("write").tanh()  # [B, D]
        gates = {name: one.sigmoid() for name, one in found.items()}  # G - 1 x [B, D]
        c = _through(gates.get("forget"), tensor(state, "c")) + _through(gates.get("input"), g)
        h = _through(gates.get("output"), c.tanh())  # [B, D]
        return Ticked(h, {"h": h, "c": c}, gates)

    def sweep(self, x: Tensor, state: State) -> Swept:
        """All steps in our kernel if there is one and a gradient is wanted, otherwise in torch's.

        That one wants a second bias: zeros. A gate that was taken out is held open there by its
        bias. With 64 rows of 30 steps and width 256, forward and back, it takes 65 ms on one core;
        step by step it is 103 ms for the whole cell and 72 ms without a gate. An update of the
        benchmarks' recurrent model, on two cores, in turn: 5,919 symbols/s with torch's, 6,275 with
        ours; 5,112 and 5,329 with input feeding.
        """
        start = [tensor(state, name) for name in self.parts]  # 2 x [B, D]
        W, U, b = self.four_gates()
        kernels = kernels_for(x, *start, W, U, b, width=self.hidden_dim)
        if kernels is not None:
            rows = x.transpose(0, 1).flatten(0, 1)  # [T B, input_dim]
            outputs, h, c = LstmSteps.apply(rows, *start, W, U, b, kernels)  # type: ignore[no-untyped-call]
            return Swept(outputs, {"h": h, "c": c})
        weights = [W, U, b, torch.zeros_like(b)]
        with lowest(x.device):
            if not torch.is_autocast_enabled(x.device.type):
                x, *start = (one.to(W.dtype) for one in (x, *start))
            first = [one[None] for one in start]
            outputs, h, c = torch.lstm(x, first, weights, True, 1, 0.0, self.training, False, True)  # noqa: FBT003
        return Swept(outputs, {"h": h[0], "c": c[0]})

    def four_gates(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return W, U and b of four gates; the bias of one that was taken out holds it open."""
        return self._four(self.W, 0.0), self._four(self.U, 0.0), self._four(self.b, _OPEN)

    def _four(self, weight: Tensor, filling: float) -> Tensor:
        """Put rows of `filling` where a gate was taken out."""
        if len(self.gates) == len(_GATES):
            return weight
        rows = dict(zip(self.gates, weight.chunk(len(self.gates)), strict=True))
        absent = weight.new_full((self.hidden_dim, *weight.shape[1:]), filling)
        return torch.cat([rows.get(gate, absent) for gate in _GATES])


def _through(gate: Tensor | None, x: Tensor) -> Tensor:
    return x if gate is None else gate * x


def sweep_both(right: LSTM, left: LSTM, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor] | None:
    """Let two cells read `x [B, S, input_dim]`, one from its start and one from its end, at once.

    Returns:
        What they said, side by side, `[B, S, 2 D]`, with zeros where `mask [B, S]` is False, and
        the last of each, `[B, 2 D]`; None if there is no kernel for it, or no gradient is wanted.
    """
    (W, U, b), (W_left, U_left, b_left) = right.four_gates(), left.four_gates()
    kernels = kernels_for(x, W, U, b, W_left, U_left, b_left, width=right.hidden_dim)
    if kernels is None:
        return None
    both = torch.cat([W, W_left]), U, U_left, torch.cat([b, b_left])
    states, last = LstmBoth.apply(x.flatten(0, 1), mask, *both, kernels)  # type: ignore[no-untyped-call]
    return states, last
