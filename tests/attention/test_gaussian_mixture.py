import math

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.gaussian_mixture import GaussianMixture
from saccade.errors import RecipeError
from saccade.flow import tensor
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_by_hand() -> None:
    """Two bells: alpha 1 and 2, beta 1 and 1/2, moving by 1 and 2; places 1, 2, 3."""
    attention = GaussianMixture(1, 1, components=2)
    with torch.no_grad():
        attention.W.weight.zero_()
        attention.W.bias.copy_(torch.tensor([1.0, 2.0, 1.0, 0.5, 1.0, 2.0]).log())
    prepared = attention.prepare(torch.zeros(1, 3, 1))
    mask = torch.ones(1, 1, 3, dtype=torch.bool)
    _, weights, state = attention(
        torch.zeros(1, 2, 1), prepared, mask, attention.start(prepared), look=True
    )
    assert weights is not None
    for t in (1, 2):
        expected = [
            math.exp(-((t - u) ** 2)) + 2 * math.exp(-((2 * t - u) ** 2) / 2) for u in (1, 2, 3)
        ]
        assert_close(weights[0, t - 1, 0].tolist(), expected)
    assert_close(tensor(state, "kappa"), torch.tensor([[2.0, 4.0]]))


def test_the_centres_only_move_forward() -> None:
    attention = scramble(GaussianMixture(8, 8), scale=0.5)
    prepared, query = attention.prepare(randn(2, 6, 8)), randn(2, 12, 8)
    state = attention.start(prepared)
    for t in range(12):
        after = attention(query[:, t : t + 1], prepared, MASK, state).state
        assert (tensor(after, "kappa") > tensor(state, "kappa")).all()
        state = after


def test_untrained_it_walks_along_the_source() -> None:
    attention = GaussianMixture(8, 8)
    prepared = attention.prepare(randn(1, 6, 8))
    mask = torch.ones(1, 1, 6, dtype=torch.bool)
    start = attention.start(prepared)
    weights = attention(torch.zeros(1, 6, 8), prepared, mask, start, look=True).weights
    assert weights.argmax(dim=-1).flatten().tolist() == [0, 1, 2, 3, 4, 5]
    assert_close(weights.amax(dim=-1).flatten(), torch.ones(6))


def test_the_gradient_flows_back_through_the_centres() -> None:
    attention = scramble(GaussianMixture(8, 8), scale=0.2)
    prepared, query = attention.prepare(randn(2, 6, 8)), randn(2, 3, 8).requires_grad_()
    last = attention(query, prepared, MASK, attention.start(prepared)).context[:, -1]
    (gradient,) = torch.autograd.grad(last.sum(), query)
    assert (gradient.abs().sum(dim=2) > 0).all()


def test_there_is_at_least_one_bell() -> None:
    message = "gaussian_mixture.components: 0 is below 1; use 1 bell or more."
    with pytest.raises(RecipeError, match=message):
        GaussianMixture(8, 8, components=0)
