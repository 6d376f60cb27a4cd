"""Bits of which the last says that nothing more comes."""

import torch

from saccade.heads.bernoulli import Bernoulli
from saccade.heads.bernoulli_end import BernoulliEnd
from tests.samples import randn, scramble

WIDTH, SIZE = 5, 4


def test_the_last_bit_is_the_end() -> None:
    head = BernoulliEnd(WIDTH, 3, None)
    values = torch.tensor([[[1.0, 1, 0], [0, 0, 1], [1, 1, 1]]])
    assert head.ended(values).tolist() == [[False, True, True]]
    assert head.stops


def test_in_all_else_it_is_bernoulli() -> None:
    one, other = scramble(BernoulliEnd(WIDTH, SIZE, None)), scramble(Bernoulli(WIDTH, SIZE, None))
    f, gold, chance = randn(6, WIDTH), (randn(6, SIZE, seed=2) > 0).float(), torch.rand(6, SIZE)
    assert torch.equal(one.loss(f, gold)[1], other.loss(f, gold)[1])
    assert torch.equal(one.best(f), other.best(f))
    assert torch.equal(one.draw(f, chance, 0.5), other.draw(f, chance, 0.5))
