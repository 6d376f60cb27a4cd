"""Recurrent cells over a whole sequence, in nodes that an ONNX graph can hold.

A loop over time cannot be traced without fixing its length, so a cell's `sweep` is swapped for
ONNX's own node where that computes the same, and else for a scan over the cell's own `tick`.
"""

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch._higher_order_ops.scan import scan

from saccade.cells.base import Cell
from saccade.cells.elman import Elman
from saccade.cells.gru import GRU
from saccade.cells.lstm import LSTM
from saccade.flow import State, Swept, Ticked, map_state, tensor


def traceable(model: nn.Module) -> nn.Module:
    """Copy a model, with every recurrent cell in a form that can be traced."""
    copied = copy.deepcopy(model).eval()
    for module in list(copied.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, Cell):
                setattr(module, name, TraceableCell(child))
    return copied


class TraceableCell(Cell):
    """A cell whose `sweep` is a node, or a scan, of an ONNX graph; all else is the cell's own."""

    def __init__(self, inner: Cell) -> None:
        super().__init__(inner.input_dim, inner.hidden_dim)
        self.inner = inner
        self.parts = inner.parts
        prepare = _NODES.get(type(inner))
        self.node = None if prepare is None else prepare(inner)

    def started(self, given: State) -> State:
        """Start as the cell does."""
        return self.inner.started(given)

    def project(self, x: Tensor) -> Tensor:
        """Do the input half."""
        return self.inner.project(x)

    def tick(self, projected: Tensor, state: State) -> Ticked:
        """Do the recurrent half."""
        return self.inner.tick(projected, state)

    def sweep(self, x: Tensor, state: State) -> Swept:
        """Take all steps of `x [B, T, input_dim]`."""
        if self.node is not None:
            swept: Swept = self.node(x, state)
            return swept
        projected = self.inner.project(x).transpose(0, 1)  # [T, B, G]
        after, outputs = scan(self._one, state, projected, dim=0)
        return Swept(outputs.transpose(0, 1), after)  # [B, T, D]

    def _one(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        """Take one step; a scan wants results that are not one tensor under two names."""
        ticked = self.inner.tick(projected, state)
        return map_state(torch.clone, ticked.state), ticked.output.clone()


class GraphNode(nn.Module):
    """One recurrent node of ONNX: its kind, its weights in ONNX's order, its attributes."""

    W: Tensor
    U: Tensor
    b: Tensor

    def __init__(
        self,
        kind: str,
        parts: Sequence[str],
        weights: tuple[Tensor, Tensor, Tensor],
        attributes: dict[str, int],
    ) -> None:
        super().__init__()
        self.kind, self.parts, self.attributes = kind, parts, attributes
        for name, weight in zip("WUb", weights, strict=True):
            self.register_buffer(name, weight.detach().clone()[None])  # one direction

    def forward(self, x: Tensor, state: State) -> Swept:
        """Take all steps of `x [B, T, input_dim]`; ONNX wants time first."""
        rows, n, width = x.shape[0], x.shape[1], self.U.shape[2]
        first = [tensor(state, name)[None] for name in self.parts]  # each [1, B, D]
        outputs, *last = torch.onnx.ops.symbolic_multi_out(
            self.kind,
            (x.transpose(0, 1), self.W, self.U, self.b, None, *first),
            attrs={"hidden_size": width, **self.attributes},
            dtypes=[x.dtype] * (1 + len(first)),
            shapes=[(n, 1, rows, width), *[(1, rows, width)] * len(first)],
        )
        after: State = {name: one[0] for name, one in zip(self.parts, last, strict=True)}
        return Swept(outputs[:, 0].transpose(0, 1), after)  # [B, T, D]


def _lstm(cell: Cell) -> GraphNode:
    """ONNX orders i, o, f, g; a gate that was taken out is held open by its bias."""
    assert isinstance(cell, LSTM)
    W, U, b = cell.as_lstm()
    W, U, b = (_ordered(weight, 4, (0, 3, 1, 2)) for weight in (W, U, b))
    return GraphNode("LSTM", cell.parts, (W, U, torch.cat([b, torch.zeros_like(b)])), {})


def _gru(cell: Cell) -> GraphNode:
    """ONNX orders z, r, n, and knows both forms."""
    assert isinstance(cell, GRU)
    W, U, b = (_ordered(weight, 3, (1, 0, 2)) for weight in (cell.W, cell.U, cell.b))
    d = torch.cat([b.new_zeros(2 * cell.hidden_dim), cell.d])
    attributes = {"linear_before_reset": int(cell.reset == "after")}
    return GraphNode("GRU", cell.parts, (W, U, torch.cat([b, d])), attributes)


def _elman(cell: Cell) -> GraphNode:
    assert isinstance(cell, Elman)
    b = torch.cat([cell.b, torch.zeros_like(cell.b)])
    return GraphNode("RNN", cell.parts, (cell.W, cell.U, b), {})


def _ordered(weight: Tensor, n_gates: int, order: Sequence[int]) -> Tensor:
    rows = weight.chunk(n_gates)
    return torch.cat([rows[i] for i in order])


_NODES: dict[type[Cell], Callable[[Cell], GraphNode]] = {LSTM: _lstm, GRU: _gru, Elman: _elman}
