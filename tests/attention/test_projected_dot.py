import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from saccade.attention.bilinear import Bilinear
from saccade.attention.projected_dot import ProjectedDot
from saccade.attention.scaled_dot import ScaledDot
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 4)[:, None]


def test_it_is_torchs_product_of_projections() -> None:
    attention = scramble(ProjectedDot(5, 8, hidden=16))
    query, states = randn(2, 3, 5), randn(2, 6, 8, seed=2)
    read = attention(query, attention.prepare(states), MASK, {}, look=True)
    expected = scaled_dot_product_attention(attention.U(query), attention.W(states), states, MASK)
    assert_close(read.context, expected)
    assert_close(read.weights.sum(dim=3), torch.ones(2, 3, 1))


def test_two_projections_are_a_bilinear_form_of_low_rank() -> None:
    attention, bilinear = scramble(ProjectedDot(5, 8, hidden=3)), Bilinear(5, 8)
    bilinear.W.weight.data.copy_(attention.U.weight.T @ attention.W.weight / 3**0.5)
    query, states = randn(2, 3, 5), randn(2, 6, 8, seed=2)
    score = attention.score(query, attention.keys(states))
    assert_close(score, bilinear.score(query, bilinear.keys(states)))
    assert torch.linalg.matrix_rank(bilinear.W.weight) == 3


def test_projections_that_change_nothing_leave_the_scaled_product() -> None:
    attention, plain = ProjectedDot(8, 8, hidden=8), ScaledDot(8, 8)
    for layer in (attention.W, attention.U):
        layer.weight.data.copy_(torch.eye(8))
    query, states = randn(2, 3, 8), randn(2, 6, 8, seed=2)
    score = attention.score(query, attention.keys(states))
    assert_close(score, plain.score(query, plain.keys(states)))
