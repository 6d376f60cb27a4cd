import math
from typing import Literal

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.location_aware import LocationAware
from saccade.errors import RecipeError
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def weights(attention: LocationAware, query: Tensor, states: Tensor, mask: Tensor) -> Tensor:
    prepared = attention.prepare(states)
    read = attention(query, prepared, mask, attention.start(prepared), look=True)
    assert read.weights is not None
    return read.weights[:, :, 0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("normalise", ["softmax", "smooth"])
def test_by_hand(normalise: Literal["softmax", "smooth"]) -> None:
    """Nothing but F = (1, 2, 3) counts: f[1] = 2, 1, 0 around the first place, e = tanh(f)."""
    attention = LocationAware(1, 1, hidden=1, filters=1, width=3, normalise=normalise, sharpen=2.0)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.zero_()
        assert attention.F is not None
        assert attention.G is not None
        attention.F.weight.copy_(torch.tensor([[[1.0, 2.0, 3.0]]]))
        attention.G.weight.fill_(1.0)
        attention.v.weight.fill_(1.0)
    found = weights(attention, torch.zeros(1, 2, 1), torch.zeros(1, 3, 1), mask_of(3)[:, None])

    def expected(f: list[float]) -> list[float]:
        e = [2 * math.tanh(x) for x in f]
        raw = [math.exp(x) if normalise == "softmax" else 1 / (1 + math.exp(-x)) for x in e]
        return [x / sum(raw) for x in raw]

    a, b, c = expected([2, 1, 0])
    assert_close(found[0, 0].tolist(), [a, b, c])
    again = expected([2 * a + 3 * b, a + 2 * b + 3 * c, b + 2 * c])
    assert_close(found[0, 1].tolist(), again)


def test_without_its_filters_it_is_additive() -> None:
    attention, additive = scramble(LocationAware(8, 6, hidden=7)), Additive(8, 6, hidden=7)
    assert attention.G is not None
    with torch.no_grad():
        attention.G.weight.zero_()
    shared = {k: v for k, v in attention.state_dict().items() if k in additive.state_dict()}
    additive.load_state_dict(shared)
    query, states = randn(2, 4, 8, seed=2), randn(2, 6, 6)
    expected = additive(query, additive.prepare(states), MASK, {}, look=True).weights
    assert_close(weights(attention, query, states, MASK), expected[:, :, 0])


def test_with_no_filters_it_is_additive_and_has_no_other_weights() -> None:
    attention, additive = (
        scramble(LocationAware(8, 6, hidden=7, filters=0)),
        Additive(8, 6, hidden=7),
    )
    additive.load_state_dict(attention.state_dict())
    query, states = randn(2, 4, 8, seed=2), randn(2, 6, 6)
    expected = additive(query, additive.prepare(states), MASK, {}, look=True).weights
    assert_close(weights(attention, query, states, MASK), expected[:, :, 0])


def test_the_k_best_of_the_kept_places_share_the_weight() -> None:
    whole = scramble(LocationAware(8, 6, hidden=7))
    few = LocationAware(8, 6, hidden=7, keep=2)
    few.load_state_dict(whole.state_dict())
    query, states = randn(2, 1, 8, seed=2), randn(2, 6, 6)
    plain, found = (weights(one, query, states, MASK)[:, 0] for one in (whole, few))
    best = plain >= plain.sort(dim=1, descending=True).values[:, 1:2]
    assert_close(found, plain * best / (plain * best).sum(dim=1, keepdim=True))
    assert ((found > 0).sum(dim=1) == 2).all()
    assert not found[1, 3:].any()  # dropped places are not among the best


def test_the_window_is_around_the_median_before() -> None:
    attention = scramble(LocationAware(8, 8, hidden=8, window=1))
    prepared, states = attention.prepare(randn(2, 6, 8)), {"weights": torch.zeros(2, 6)}
    states["weights"][0] = torch.tensor([0.1, 0.2, 0.1, 0.3, 0.2, 0.1])  # half is reached at 3
    states["weights"][1] = torch.tensor([0.2, 0.2, 0.6, 0.0, 0.0, 0.0])  # and here at 2
    found = attention(randn(2, 1, 8), prepared, MASK, states, look=True).weights[:, 0, 0]
    assert (found > 0).int().tolist() == [[0, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0]]
    assert_close(found.sum(dim=1), torch.ones(2))


def test_a_window_is_never_empty() -> None:
    attention = scramble(LocationAware(8, 8, hidden=8, window=1), scale=2.0)
    found = weights(attention, randn(2, 20, 8), randn(2, 6, 8), MASK)
    assert_close(found.sum(dim=2), torch.ones(2, 20))
    assert ((found > 0).sum(dim=2) <= 2).all()


def test_sharpening_sharpens() -> None:
    calm = scramble(LocationAware(8, 8, hidden=8))
    sharp = scramble(LocationAware(8, 8, hidden=8, sharpen=3.0))
    query, states = randn(2, 1, 8), randn(2, 6, 8)
    plain, keen = weights(calm, query, states, MASK), weights(sharp, query, states, MASK)
    assert (keen.amax(dim=2) > plain.amax(dim=2)).all()


def test_the_gradient_flows_back_through_what_is_remembered() -> None:
    attention = scramble(LocationAware(8, 8, hidden=8))
    query = randn(2, 3, 8).requires_grad_()
    last = weights(attention, query, randn(2, 6, 8), MASK)[:, -1]
    (gradient,) = torch.autograd.grad((last * randn(2, 6, seed=3)).sum(), query)
    assert (gradient.abs().sum(dim=2) > 0).all()  # the first query had a part in the last weights


def test_all_that_is_wrong_with_its_options_is_said_at_once() -> None:
    with pytest.raises(RecipeError) as caught:
        LocationAware(8, 8, filters=-1, width=4, sharpen=0.0, window=-1, keep=-1)
    assert caught.value.problems == [
        "location_aware.filters: -1 is below 0; 0 does not look where it looked.",
        "location_aware.width: 4 is not odd; a kernel needs a middle place.",
        "location_aware.sharpen: 0.0 is not above 0; 1 leaves the scores.",
        "location_aware.window: -1 is below 0; 0 looks everywhere.",
        "location_aware.keep: -1 is below 0; 0 weighs all places.",
    ]
