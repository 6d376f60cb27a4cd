import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.concat import Concat
from tests.samples import mask_of, randn, scramble

QUERY, KEY = 3, 5
MASK = mask_of(5, 2, 3)[:, None]


def test_concat_is_additive_with_its_matrix_cut_in_two() -> None:
    concat, additive = scramble(Concat(QUERY, KEY, hidden=7)), Additive(QUERY, KEY, hidden=7)
    with torch.no_grad():
        additive.W.weight.copy_(concat.W1.weight[:, :QUERY])
        additive.U.weight.copy_(concat.W1.weight[:, QUERY:])
        additive.U.bias.zero_()
        additive.v.weight.copy_(concat.w2.weight)
    query, states = randn(3, 4, QUERY, seed=2), randn(3, 5, KEY)
    one = concat(query, concat.prepare(states), MASK, {}, look=True)
    other = additive(query, additive.prepare(states), MASK, {}, look=True)
    assert_close(one.weights, other.weights)
    assert_close(one.context, other.context)


def test_concat_is_the_network_over_every_pair_laid_out() -> None:
    concat = scramble(Concat(QUERY, KEY, hidden=7))
    query, states = randn(3, 4, QUERY, seed=2), randn(3, 5, KEY)
    left = query[:, :, None].expand(-1, -1, 5, -1)  # [B, T, S, Q]
    right = states[:, None].expand(-1, 4, -1, -1)  # [B, T, S, K]
    pairs = torch.cat([left, right], dim=-1)
    expected = concat.w2(torch.tanh(concat.W1(pairs))).squeeze(-1)
    assert_close(concat.score(query, concat.keys(states)), expected)
