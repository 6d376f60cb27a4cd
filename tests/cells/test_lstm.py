import torch
from torch.testing import assert_close

from saccade.cells.lstm import LSTM
from saccade.flow import tensor
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
