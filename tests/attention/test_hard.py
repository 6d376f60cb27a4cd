import pytest
import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.hard import Hard, draw
from saccade.errors import RecipeError
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_after_training_the_likeliest_place_is_read_alone() -> None:
    hard, additive = scramble(Hard(8, 6)), Additive(8, 6)
    additive.load_state_dict(hard.inner.state_dict())
    query, states = randn(2, 4, 8, seed=2), randn(2, 6, 6)
    prepared = hard.prepare(states)
    found = hard(query, prepared, MASK, {}, look=True)
    soft = additive(query, additive.prepare(states), MASK, {}, look=True).weights[:, :, 0]
    place = soft.argmax(dim=2)  # [B, T]
    assert hard.names == ("chosen", "probability")
    assert_close(found.weights[:, :, 1], soft)
    assert_close(found.context, states[torch.arange(2)[:, None], place])
    assert (found.weights[:, :, 0].argmax(dim=2) == place).all()
    assert (found.weights[:, :, 0].sum(dim=2) == 1).all()


def test_in_training_places_are_drawn_as_often_as_they_are_likely() -> None:
    hard = scramble(Hard(8, 8)).train()
    query, prepared = randn(2, 1, 8).expand(2, 4000, 8), hard.prepare(randn(2, 6, 8))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        weights = hard(query, prepared, MASK, {}, look=True).weights
    often = weights[:, :, 0].mean(dim=1)  # [B, S]
    assert_close(often, weights[:, 0, 1], atol=0.03, rtol=0.0)


def test_the_gradient_comes_through_the_probability_only() -> None:
    hard = scramble(Hard(8, 8))
    prepared = hard.prepare(randn(2, 6, 8))
    query = randn(2, 3, 8).requires_grad_()
    context, weights, _ = hard(query, prepared, MASK, {}, look=True)
    assert hard.hard
    assert not context.requires_grad
    (gradient,) = torch.autograd.grad((weights[:, :, 1] ** 2).sum(), query)
    assert gradient.abs().sum() > 0


def test_sampling_at_test_time_is_the_same_in_any_batch() -> None:
    hard = scramble(Hard(8, 8, choose="sample", seed=3), scale=0.1)
    query, states = randn(2, 30, 8, seed=2), randn(2, 6, 8)

    def chosen(rows: slice) -> torch.Tensor:
        prepared = hard.prepare(states[rows])
        found = hard(query[rows], prepared, MASK[rows], hard.start(prepared), look=True)
        return torch.as_tensor(found.weights[:, :, 0].argmax(dim=2))

    both = chosen(slice(None))
    assert torch.equal(chosen(slice(1, 2))[0], both[1])
    assert len(set(both[0].tolist())) > 3
    hard.seed = 4
    assert not torch.equal(chosen(slice(None)), both)


def test_drawing_by_hand() -> None:
    """Sums .2 .2 1: numbers below .2 take the first place, the second has no chance."""
    probability = torch.tensor([[[0.2, 0.0, 0.8]] * 4, [[0.0, 0.0, 0.0]] * 4])
    uniform = torch.tensor([[0.0, 0.19, 0.2, 0.99]] * 2)
    places = draw(probability, uniform)
    assert places[0].argmax(dim=1).tolist() == [0, 0, 2, 2]
    assert not places[1].any()


def test_a_share_of_the_queries_reads_the_mean_in_training_alone() -> None:
    hard = scramble(Hard(8, 8, soft=0.25)).train()
    query, prepared = randn(2, 1, 8).expand(2, 4000, 8), hard.prepare(randn(2, 6, 8))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        weights = hard(query, prepared, MASK, {}, look=True).weights
    meant = (weights[:, :, 0] == weights[:, :, 1]).all(dim=2)  # [B, T]
    assert_close(meant.float().mean().item(), 0.25, atol=0.03, rtol=0.0)
    assert (
        hard.eval()(query, prepared, MASK, {}, look=True).weights[:, :, 0].amax(dim=2) == 1
    ).all()


def test_soft_is_a_share() -> None:
    with pytest.raises(RecipeError, match=r"hard.soft: 1.5 is not in \[0, 1\]; 0 always chooses"):
        Hard(8, 8, soft=1.5)
