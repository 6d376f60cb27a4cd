import torch
from torch.testing import assert_close

from saccade.cells.mut1 import Mut1
from tests.samples import randn, scramble


def test_the_equation() -> None:
    cell, x, h = scramble(Mut1(4, 4)), randn(3, 4), randn(3, 4, seed=2)
    W_z, W_r = cell.W.chunk(2)
    b_z, b_r, b_n = cell.b.chunk(3)
    z = torch.sigmoid(x @ W_z.T + b_z)
    r = torch.sigmoid(x @ W_r.T + h @ cell.U_r.T + b_r)
    expected = torch.tanh((r * h) @ cell.U_n.T + torch.tanh(x) + b_n) * z + h * (1 - z)
    ticked = cell(x, {"h": h})
    assert_close(ticked.output, expected)
    assert_close(dict(ticked.gates), {"reset": r, "update": z})


def test_an_input_of_another_width_is_mapped() -> None:
    cell, x, h = scramble(Mut1(3, 4)), randn(2, 3), torch.zeros(2, 4)
    assert cell.V is not None
    assert Mut1(4, 4).V is None
    with torch.no_grad():
        cell.W.zero_()
        cell.b.zero_()
    expected = torch.tanh(torch.tanh(x @ cell.V.T)) / 2
    assert_close(cell(x, {"h": h}).output, expected)
