import torch
from torch.testing import assert_close

from saccade.cells.mut3 import Mut3
from tests.samples import randn, scramble


def test_the_equation() -> None:
    cell, x, h = scramble(Mut3(3, 4)), randn(2, 3), randn(2, 4, seed=2)
    W_z, W_r, W_n = cell.W.chunk(3)
    b_z, b_r, b_n = cell.b.chunk(3)
    assert cell.U_z is not None
    z = torch.sigmoid(x @ W_z.T + torch.tanh(h) @ cell.U_z.T + b_z)
    r = torch.sigmoid(x @ W_r.T + h @ cell.U_r.T + b_r)
    expected = torch.tanh((r * h) @ cell.U_n.T + x @ W_n.T + b_n) * z + h * (1 - z)
    ticked = cell(x, {"h": h})
    assert_close(ticked.output, expected)
    assert_close(dict(ticked.gates), {"reset": r, "update": z})
