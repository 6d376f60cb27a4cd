import torch
from torch.testing import assert_close

from saccade.cells.elman import Elman
from saccade.cells.gru import GRU
from saccade.flow import tensor
from tests import reference
from tests.samples import randn, scramble

WIDE_OPEN = 30.0


def test_gru_with_reset_after_is_torchs() -> None:
    cell = scramble(GRU(3, 6))
    x, h = randn(4, 5, 3), randn(4, 6, seed=2)
    outputs, final = reference.gru(cell)(x, h[None])
    swept = cell.sweep(x, {"h": h})
    assert_close(swept.outputs, outputs)
    assert_close(tensor(swept.state, "h"), final[0])


def held_open(reset: str) -> tuple[GRU, Elman]:
    """A GRU that sees all of the past and keeps none of it, and the cell it then is."""
    cell = scramble(GRU(3, 6, reset="before" if reset == "before" else "after"))
    elman = Elman(3, 6)
    with torch.no_grad():
        cell.W[:12], cell.U[:12] = 0.0, 0.0
        cell.b[:6], cell.b[6:12] = WIDE_OPEN, -WIDE_OPEN
        elman.W.copy_(cell.W[12:])
        elman.U.copy_(cell.U[12:])
        elman.b.copy_(cell.b[12:] + cell.d)
    return cell, elman


def test_gru_with_its_gates_held_open_is_elman() -> None:
    x, state = randn(4, 5, 3), {"h": randn(4, 6, seed=2)}
    for reset in ("after", "before"):
        cell, elman = held_open(reset)
        assert_close(cell.sweep(x, {**state}).outputs, elman.sweep(x, {**state}).outputs)


def test_gru_with_its_gate_shut_keeps_the_past() -> None:
    cell = scramble(GRU(3, 6))
    with torch.no_grad():
        cell.W[6:12], cell.U[6:12], cell.b[6:12] = 0.0, 0.0, WIDE_OPEN
    h = randn(4, 6)
    assert_close(cell(randn(4, 3), {"h": h}).output, h)


def test_the_two_forms_differ() -> None:
    after, before = scramble(GRU(3, 6)), scramble(GRU(3, 6, reset="before"))
    x, state = randn(4, 3), {"h": randn(4, 6, seed=2)}
    assert not torch.allclose(after(x, {**state}).output, before(x, {**state}).output)
