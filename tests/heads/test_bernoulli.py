"""Bits by their logits: nats, rounding and draws."""

import math

import torch
from torch.distributions import Bernoulli as Law
from torch.testing import assert_close

from saccade.heads.bernoulli import Bernoulli
from tests.samples import randn, scramble

WIDTH, SIZE = 5, 4


def test_the_loss_is_the_nats_of_the_bits() -> None:
    head, f = scramble(Bernoulli(WIDTH, SIZE, None)), randn(7, WIDTH)
    gold = (randn(7, SIZE, seed=2) > 0).float()
    law: torch.distributions.Distribution = Law(logits=head.output(f))
    nats = -law.log_prob(gold).sum(dim=1)
    total, each = head.loss(f, gold)
    assert_close(each, nats.detach())
    assert_close(total, nats.sum())


def test_no_loss_is_infinite() -> None:
    head = scramble(Bernoulli(WIDTH, SIZE, None))
    total, _ = head.loss(1e6 * randn(9, WIDTH), torch.ones(9, SIZE))
    assert math.isfinite(total.item())


def test_bits_are_drawn_as_often_as_they_are_likely() -> None:
    head, f = scramble(Bernoulli(WIDTH, SIZE, None)), randn(1, WIDTH)
    chance = torch.rand(20_000, SIZE, generator=torch.Generator().manual_seed(1))
    often = head.draw(f.expand(20_000, -1), chance).mean(dim=0)
    assert_close(often, head.output(f)[0].sigmoid().detach(), atol=0.015, rtol=0)
    assert torch.equal(head.draw(f, chance[:1], 1e4), head.best(f))


def test_it_never_stops() -> None:
    head = Bernoulli(WIDTH, SIZE, None)
    assert not head.ended(torch.ones(2, 3, SIZE)).any()
    assert not head.stops
