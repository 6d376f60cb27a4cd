import pytest
import torch
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM
from saccade.flow import tensor
from saccade.parts import Part
from tests import reference
from tests.samples import randn, scramble


def test_lstm_is_torchs() -> None:
    cell = scramble(LSTM(3, 6))
    x, h, c = randn(4, 5, 3), randn(4, 6, seed=2), randn(4, 6, seed=3)
    outputs, (final_h, final_c) = reference.lstm(cell)(x, (h[None], c[None]))
    swept = cell.sweep(x, {"h": h, "c": c})
    assert_close(swept.outputs, outputs)
    assert_close(tensor(swept.state, "h"), final_h[0])
    assert_close(tensor(swept.state, "c"), final_c[0])


def test_lstm_starts_by_remembering() -> None:
    assert LSTM(3, 2).b.tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    assert LSTM(3, 2, forget_bias=0.5).b.tolist() == [0, 0, 0.5, 0.5, 0, 0, 0, 0]


def test_the_memory_stays_while_nothing_is_written() -> None:
    cell = scramble(LSTM(3, 2))
    with torch.no_grad():
        cell.W.zero_()
        cell.U.zero_()
        cell.b.copy_(torch.tensor([-30.0, -30, 30, 30, 0, 0, 30, 30]))
    c = randn(4, 2)
    output, state, gates = cell(randn(4, 3), {"h": randn(4, 2), "c": c})
    assert_close(tensor(state, "c"), c)
    assert_close(output, c.tanh())
    assert_close(gates["forget"], torch.ones(4, 2))


ROWS = {"input": slice(0, 6), "forget": slice(6, 12), "output": slice(18, 24)}


@pytest.mark.parametrize("gate", ["input", "forget", "output"])
def test_without_a_gate_is_the_whole_with_that_gate_held_open(gate: str) -> None:
    whole, ablated = scramble(LSTM(3, 6)), Part(Cell, "lstm", {"without": gate}).build(3, 6)
    keep = torch.ones(24, dtype=torch.bool)
    keep[ROWS[gate]] = False
    with torch.no_grad():
        whole.b[ROWS[gate]], whole.W[ROWS[gate]], whole.U[ROWS[gate]] = 60.0, 0.0, 0.0
        for name, parameter in ablated.named_parameters():
            parameter.copy_(whole.get_parameter(name)[keep])
    x, state = randn(4, 5, 3), {"h": randn(4, 6, seed=2), "c": randn(4, 6, seed=3)}
    assert_close(ablated.sweep(x, {**state}).outputs, whole.sweep(x, {**state}).outputs)
    assert gate not in ablated(x[:, 0], {**state}).gates


def test_a_gate_taken_out_has_no_parameters() -> None:
    assert LSTM(3, 2).W.shape[0] == 8
    assert LSTM(3, 2, without="output").W.shape[0] == 6
    assert LSTM(3, 2, without="input").b.tolist() == [1, 1, 0, 0, 0, 0]
    assert LSTM(3, 2, without="forget").b.tolist() == [0, 0, 0, 0, 0, 0]
    assert LSTM(3, 2, without="output").b.tolist() == [0, 0, 1, 1, 0, 0]
