"""Strings of a and b, and a cell that counts them."""

import pytest
import torch

from saccade.cells.lstm import LSTM
from saccade.explanations.base import explain
from saccade.explanations.counting import _counting_unit, _strings


def test_strings_and_what_comes_next() -> None:
    x, wanted = _strings([1, 2])
    assert x.argmax(dim=2).tolist() == [[0, 1, 0, 0], [0, 0, 1, 1]]
    assert x.sum(dim=2).tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert wanted.tolist() == [[-1, 2, -1, -1], [-1, -1, 1, 2]]


def test_the_unit_that_counts_is_found() -> None:
    cell = LSTM(2, 3)
    for weight in cell.parameters():
        weight.data.zero_()
    cell.b.data[:6] = 100.0  # all is written, all is kept
    cell.W.data[6 + 1] = torch.tensor([100.0, -100.0])  # by unit 1 of three
    values, r = _counting_unit(cell, 4)
    assert values == pytest.approx([1, 2, 3, 4, 3, 2, 1, 0])
    assert r == pytest.approx(1.0)
    cell.W.data.neg_()
    assert _counting_unit(cell, 4)[0] == pytest.approx(values)  # downwards is as good


@pytest.mark.slow
def test_an_lstm_counts_beyond_what_it_was_trained_on() -> None:
    found = explain("counting", seeds=1).figures
    assert found["LSTM, seed 1"] > 20
    assert found["LSTM, largest value"] > 2
    assert found["GRU, largest value"] <= 1
