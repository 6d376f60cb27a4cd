"""The sweep with its gradient written out is the loop, to the precision of a double."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell, unroll
from saccade.flow import Swept, tensor
from saccade.parts import Part
from tests.samples import backward, name, randn, scramble

PARTS = [
    Part(Cell, "gru", {"reset": "before"}),
    *(Part(Cell, kind) for kind in ("mut1", "mut2", "mut3")),
    *(Part(Cell, "lstm", {"without": gate}) for gate in ("input", "forget", "output")),
    Part(Cell, "elman"),
]


def gradients(cell: Cell, swept: Swept, x: Tensor, h: Tensor) -> dict[str, Tensor | None]:
    """Of the outputs, weighted by noise, and of the last state."""
    loss = (swept.outputs * randn(*swept.outputs.shape, seed=8, dtype=torch.float64)).sum()
    backward(loss + tensor(swept.state, "h").square().sum())
    found = {key: p.grad for key, p in cell.named_parameters()} | {"x": x.grad, "h": h.grad}
    cell.zero_grad()
    x.grad = h.grad = None
    return found


@pytest.mark.parametrize("part", PARTS, ids=name)
@pytest.mark.parametrize("input_dim", [3, 6])
def test_the_sweep_is_the_loop_in_float64(part: Part[Cell], input_dim: int) -> None:
    cell = scramble(part.build(input_dim, 6).double())
    x = randn(4, 7, input_dim, dtype=torch.float64).requires_grad_()
    h = randn(4, 6, seed=2, dtype=torch.float64).requires_grad_()
    state = {**cell.start(h), "h": h}
    swept, looped = cell.sweep(x, {**state}), unroll(cell, x, {**state})
    assert_close(swept.outputs, looped.outputs, atol=1e-12, rtol=1e-12)
    for entry in cell.parts:
        assert_close(tensor(swept.state, entry), tensor(looped.state, entry))
    ours, theirs = gradients(cell, swept, x, h), gradients(cell, looped, x, h)
    assert_close(ours, theirs, atol=1e-11, rtol=1e-11)
