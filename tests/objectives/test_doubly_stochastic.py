import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.doubly_stochastic import DoublyStochastic, unevenness
from tests.objectives import small
from tests.samples import batch_of, pairs_batch, trained


def test_the_price_by_hand() -> None:
    """Three steps of two maps over two places: what each place was read, counted by loops."""
    model, batch = small.model(), small.batch()
    loss = DoublyStochastic(small.letters, weight=0.7)(model, batch, small.moment())
    weights = model(batch, look=True).weights
    assert weights is not None
    price = 0.0
    for row, length in zip(weights.tolist(), batch.target.lengths.tolist(), strict=True):
        n_places = len(row[0][0])
        for s in range(n_places):
            read = sum(step[0][s] for step in row[:length])
            price += (1 - read) ** 2 if read else 0.0
    plain = cross_entropy(model, batch)
    assert_close(loss.total.item(), plain.total.item() + 0.7 * price)
    assert loss.parts["doubly_stochastic"] == pytest.approx(price)
    assert loss.parts["nll"] == pytest.approx(plain.parts["nll"])
    assert loss.count == plain.count


def test_weights_that_sum_to_one_both_ways_cost_nothing() -> None:
    mask = torch.ones(1, 3).bool()
    assert unevenness(torch.eye(3)[None], mask).tolist() == [0.0]
    assert unevenness(torch.full((1, 3, 3), 1 / 3), mask).tolist() == pytest.approx([0.0])
    assert unevenness(torch.eye(3)[None, [0, 0, 0]], mask).tolist() == [4.0]


def test_padding_costs_nothing() -> None:
    """A pair costs the same alone and beside one that is longer on both sides."""
    model, objective = small.model(), DoublyStochastic(small.letters)
    pairs = [([4], [5]), ([4, 5, 4, 5], [4, 4, 4])]
    alone = [objective(model, batch_of(pair), small.moment()).total for pair in pairs]
    assert_close(objective(model, batch_of(*pairs), small.moment()).total, sum(alone))


def test_it_spreads_what_is_read() -> None:
    """A place that was read too often is read less after a step down the price's gradient."""
    weights = torch.tensor([[[0.9, 0.1], [0.9, 0.1]]], requires_grad=True)
    (gradient,) = torch.autograd.grad(unevenness(weights, torch.ones(1, 2).bool()).sum(), weights)
    assert_close(gradient[0, 0], torch.tensor([2 * (1.8 - 1), 2 * (0.2 - 1)]))


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"doubly_stochastic.weight: 0 is not above 0; without"):
        DoublyStochastic(small.letters, weight=0)
    with pytest.raises(RecipeError, match=r"doubly_stochastic.smoothing: 1 is not in \[0, 1\)"):
        DoublyStochastic(small.letters, smoothing=1)
    with pytest.raises(RecipeError, match="doubly_stochastic prices where the model looks, but it"):
        DoublyStochastic(small.letters)(trained("sutskever", 25), pairs_batch(), small.moment())
