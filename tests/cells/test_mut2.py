import torch
from torch.testing import assert_close

from saccade.cells.mut2 import Mut2
from tests.samples import randn, scramble


def test_the_equation() -> None:
    cell, x, h = scramble(Mut2(4, 4)), randn(3, 4), randn(3, 4, seed=2)
    W_z, W_n = cell.W.chunk(2)
    b_z, b_r, b_n = cell.b.chunk(3)
    assert cell.U_z is not None
    z = torch.sigmoid(x @ W_z.T + h @ cell.U_z.T + b_z)
    r = torch.sigmoid(x + h @ cell.U_r.T + b_r)
    expected = torch.tanh((r * h) @ cell.U_n.T + x @ W_n.T + b_n) * z + h * (1 - z)
    ticked = cell(x, {"h": h})
    assert_close(ticked.output, expected)
    assert_close(dict(ticked.gates), {"reset": r, "update": z})


def test_an_input_of_another_width_is_mapped() -> None:
    cell, x = scramble(Mut2(3, 4)), randn(2, 3)
    assert cell.V is not None
    assert Mut2(4, 4).V is None
    gates = cell(x, {"h": torch.zeros(2, 4)}).gates
    assert_close(gates["reset"], torch.sigmoid(x @ cell.V.T + cell.b[4:8]))
