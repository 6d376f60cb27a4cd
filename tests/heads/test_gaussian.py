"""The Gaussian head knows the density of torch, and draws from it."""

import math
from typing import Any

import pytest
import torch
from torch.distributions import MultivariateNormal
from torch.testing import assert_close

from saccade.heads.gaussian import GaussianHead
from tests.samples import randn

ROOT = torch.tensor([[2.0, 0.0], [0.5, 0.3]])
MEAN = torch.tensor([1.0, -2.0])
FEATURES = torch.cat([MEAN, ROOT.flatten()])


def test_nats_are_those_of_the_density() -> None:
    head, gold = GaussianHead(1, 2, None), randn(7, 2)
    total, each = head.loss(FEATURES.expand(7, -1), gold)
    torchs: Any = MultivariateNormal(MEAN, scale_tril=ROOT)
    expected = -torchs.log_prob(gold)
    assert_close(each, expected)
    assert_close(total, expected.sum())


def test_draws_have_its_mean_and_covariance() -> None:
    head = GaussianHead(1, 2, None)
    assert (head.draws, head.n_uniform) == (True, 2)
    chance = torch.rand(20_000, 2, generator=torch.Generator().manual_seed(1))
    drawn = head.draw(FEATURES.expand(20_000, -1), chance)
    assert_close(drawn.mean(dim=0), MEAN, atol=0.05, rtol=0)
    assert_close(drawn.T.cov(), ROOT @ ROOT.T, atol=0.1, rtol=0)
    near = head.draw(FEATURES.expand(20_000, -1), chance, bias=3.0)
    assert float(near.std(dim=0)[0]) == pytest.approx(2 * math.exp(-3), rel=0.05)
    assert torch.equal(head.draw(FEATURES, chance[0], math.inf), MEAN)
    assert head.draw(FEATURES, torch.tensor([0.0, 1.0])).isfinite().all()
