import pytest
import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.base import Attention
from saccade.attention.hops import Hops
from saccade.errors import RecipeError
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_three_rounds_by_hand() -> None:
    hops, additive = scramble(Hops(8, 6, rounds=3)), Additive(8, 6)
    additive.load_state_dict(hops.inner.state_dict())
    query, prepared = randn(2, 4, 8, seed=2), hops.prepare(randn(2, 6, 6))
    found = hops(query, prepared, MASK, hops.start(prepared), look=True)
    expected = additive(query, prepared, MASK, {}, look=True)
    assert_close(found.weights[:, :, :1], expected.weights)
    for i in (1, 2):
        query = query + expected.context @ hops.H.weight.T
        expected = additive(query, prepared, MASK, {}, look=True)
        assert_close(found.weights[:, :, i : i + 1], expected.weights)
    assert_close(found.context, expected.context)
    assert hops.names == ("round 1", "round 2", "round 3")


def test_each_round_remembers_for_itself() -> None:
    hops = scramble(Hops(8, 8, attention=Part(Attention, "coverage")))
    prepared = hops.prepare(randn(2, 6, 8))
    read = hops(randn(2, 3, 8), prepared, MASK, hops.start(prepared), look=True)
    for i in range(2):
        assert_close(read.state[str(i)]["coverage"], read.weights[:, :, i].sum(dim=1))
    assert hops.recurrent


def test_it_is_what_its_attention_is() -> None:
    hops = Hops(8, 8, attention=Part(Attention, "gaussian_mixture"))
    assert not hops.normalised
    assert torch.is_tensor(hops.prepare(randn(2, 6, 8))["values"])


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"hops.rounds: 1 is below 2; one round is the attention"):
        Hops(8, 8, rounds=1)
    with pytest.raises(RecipeError, match=r"hops.attention: it reads nothing, so there is nothing"):
        Hops(8, 8, attention=Part(Attention, "none"))
