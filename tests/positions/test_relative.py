"""Relative positions are a vector for each distance, as a loop over queries and keys finds it."""

import math

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.positions.base import Heads
from saccade.positions.relative import Relative
from tests.samples import randn, scramble


@pytest.mark.parametrize(("n", "past"), [(6, 0), (1, 0), (1, 5), (2, 3)])
def test_they_are_a_loop_over_queries_and_keys(n: int, past: int) -> None:
    positions, q = scramble(Relative(8, Heads(2, 4), reach=2)), randn(3, 2, n, 4)
    expected = torch.empty(3, 2, n, past + n)
    for b in range(3):
        for h in range(2):
            for t in range(n):
                for s in range(past + n):
                    distance = max(-2, min(2, s - (past + t)))
                    vector = positions.a[distance + 2]
                    expected[b, h, t, s] = q[b, h, t] @ vector / math.sqrt(4)
    places = positions.inside(n, past, q)
    assert_close(places.bias(q), expected)
    assert places.rotate(q) is q


def test_gradients() -> None:
    positions = scramble(Relative(8, Heads(2, 4), reach=1)).double()
    q = randn(1, 2, 3, 4, dtype=torch.float64).requires_grad_()

    def bias(q: Tensor, _: Tensor) -> Tensor:
        found = positions.inside(3, 0, q).bias(q)
        assert found is not None
        return found

    assert gradcheck(bias, (q, positions.a))


def test_a_reach_of_nothing_is_refused() -> None:
    message = (
        "positions relative: reach 0 is below 1; expected the farthest distance that is told from"
        " farther ones. Raise it."
    )
    with pytest.raises(ShapeError, match=message):
        Relative(8, Heads(2, 4), reach=0)
