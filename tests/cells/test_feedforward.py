"""A cell that forgets everything."""

import torch
from torch.testing import assert_close

from saccade.cells.feedforward import Feedforward
from tests.samples import randn, scramble


def test_each_step_sees_its_own_input_alone() -> None:
    cell, x = scramble(Feedforward(3, 4)), randn(2, 5, 3)
    swept = cell.sweep(x, cell.start(x[:, 0])).outputs
    assert_close(swept, torch.tanh(x @ cell.W.T + cell.b))
    assert_close(cell(x[:, 2], {"h": randn(2, 4)}).output, swept[:, 2])
