import math
from typing import Literal

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention, ScoredAttention
from saccade.attention.bilinear import Bilinear
from saccade.attention.local import Local
from saccade.errors import RecipeError
from saccade.flow import Attended
from saccade.parts import Part
from tests.samples import backward, mask_of, randn, scramble

MASK = mask_of(7, 4)[:, None]


def read(attention: Attention, query: Tensor, states: Tensor, mask: Tensor = MASK) -> Attended:
    prepared = attention.prepare(states)
    whole: Attended = attention(query, prepared, mask, attention.start(prepared), look=True)
    return whole


def test_local_m_with_a_wide_window_is_global() -> None:
    bilinear, local = scramble(Bilinear(8, 6)), Local(8, 6, variant="m", window=100)
    local.inner.load_state_dict(bilinear.state_dict())
    query, states = randn(2, 9, 8, seed=2), randn(2, 7, 6)
    one, other = read(local, query, states), read(bilinear, query, states)
    assert_close(one.context, other.context)
    assert_close(one.weights, other.weights)


def test_local_m_looks_around_its_step_and_stays_on_the_last_place() -> None:
    local = scramble(Local(8, 8, variant="m", window=1))
    weights = read(local, randn(2, 9, 8, seed=2), randn(2, 7, 8)).weights
    assert weights is not None
    assert_close(weights.sum(dim=-1), torch.ones(2, 9, 1))
    for row, n in enumerate((7, 4)):
        for t in range(9):
            centre = min(t, n - 1)
            seen = [s for s in range(7) if weights[row, t, 0, s] > 0]
            assert seen == [s for s in range(n) if abs(s - centre) <= 1]


def test_local_p_by_hand() -> None:
    """Equal scores, n = 4, v = 0: p = 2, and with D = 1, sigma = 1/2, places 1, 2, 3 share."""
    local = Local(1, 1, window=1)
    with torch.no_grad():
        for parameter in local.parameters():
            parameter.zero_()
    states = torch.tensor([[[1.0], [2.0], [4.0], [8.0]]])
    context, weights, _ = read(local, torch.ones(1, 1, 1), states, mask_of(4)[:, None])
    side = math.exp(-2) / 3  # exp(-1 / (2 / 4)) of a third
    assert weights is not None
    assert_close(weights.flatten().tolist(), [0.0, side, 1 / 3, side])
    assert_close(context.item(), 10 * side + 4 / 3)


def test_local_p_is_global_under_its_gaussian() -> None:
    bilinear, local = scramble(Bilinear(8, 6)), scramble(Local(8, 6, window=20))
    local.inner.load_state_dict(bilinear.state_dict())
    query, states = randn(2, 5, 8, seed=2), randn(2, 7, 6)
    one, other = read(local, query, states).weights, read(bilinear, query, states).weights
    assert local.centre is not None
    assert one is not None
    assert other is not None
    p = local.centre(query, torch.tensor([[7], [4]]))[:, :, None]  # [B, T, 1]
    gauss = torch.exp(-((torch.arange(7) - p) ** 2) / 200)
    assert_close(one[:, :, 0], other[:, :, 0] * gauss)


def test_the_centre_of_local_p_is_inside_the_sentence_and_learns() -> None:
    local = scramble(Local(8, 8, window=2), scale=3.0)
    assert local.centre is not None
    p = local.centre(randn(2, 50, 8), torch.tensor([[7], [4]]))
    assert (p >= 0).all()
    assert (p <= torch.tensor([[7], [4]])).all()
    backward(read(local, randn(2, 3, 8), randn(2, 7, 8)).context.sum())
    assert local.centre.v.weight.grad is not None
    assert local.centre.v.weight.grad.abs().sum() > 0


@pytest.mark.parametrize(("variant", "says"), [("m", True), ("p", False)])
def test_each_variant_says_what_it_is(variant: Literal["m", "p"], says: bool) -> None:
    local = Local(8, 8, variant=variant)
    assert local.recurrent is says
    assert local.normalised is says


def test_any_score_serves() -> None:
    local = Part(Attention, "local", {"variant": "m", "window": 100, "score": "dot"}).build(8, 8)
    dot = Part(Attention, "dot").build(8, 8)
    query, states = randn(2, 5, 8, seed=2), randn(2, 7, 8)
    assert_close(read(local, query, states).context, read(dot, query, states).context)
    message = "module saccade.attention.multihead defines 0 concrete classes of ScoredAttention"
    with pytest.raises(RecipeError, match=message):
        Local(8, 8, score=Part(ScoredAttention, "multihead"))


def test_a_window_is_at_least_one() -> None:
    with pytest.raises(RecipeError, match=r"local.window: 0 is below 1; look 1 place around"):
        Local(8, 8, window=0)
