import pytest
import torch
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.heads.base import anchored
from saccade.heads.values import ValueHead
from tests.samples import mask_of, randn, scramble

SOURCE = Padded(randn(2, 4, 3), mask_of(4, 2))


def test_it_is_a_linear_map() -> None:
    head, f = scramble(ValueHead(5, 2, None)), randn(2, 3, 5)
    assert_close(head.best(f), f @ head.output.weight.T + head.output.bias)
    assert head.anchor(SOURCE) is None


def test_relative_adds_the_first_columns_of_the_last_real_place() -> None:
    head, f = scramble(ValueHead(5, 2, None, relative=True)), randn(2, 3, 5)
    anchor = head.anchor(SOURCE)
    assert anchor is not None
    assert torch.equal(anchor, torch.stack([SOURCE.values[0, 3, :2], SOURCE.values[1, 1, :2]]))
    assert_close(head.best(anchored(f, anchor)), head.output(f) + anchor[:, None])
    assert_close(head.best(anchored(f[:, 0], anchor)), head.output(f[:, 0]) + anchor)


def test_values_have_no_log_probabilities() -> None:
    head = ValueHead(5, 2, None)
    with pytest.raises(ShapeError, match="ValueHead: writes values, which have no log-prob"):
        head.log_probs(randn(1, 5))


def test_the_loss_is_the_squared_error() -> None:
    head, f, gold = scramble(ValueHead(5, 2, None)), randn(3, 5), randn(3, 2, seed=2)
    total, each = head.loss(f, gold)
    assert_close(each, ((head.best(f) - gold) ** 2).sum(dim=1) / 2)
    assert_close(total, each.sum())
