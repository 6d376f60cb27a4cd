"""The density of Graves 2013 (arXiv:1308.0850), equations 18 to 26, and draws from it."""

import math
from typing import Any, cast

import pytest
import torch
from torch import Tensor
from torch.distributions import Bernoulli, Categorical, MixtureSameFamily, MultivariateNormal
from torch.testing import assert_close

from saccade.errors import RecipeError, ShapeError
from saccade.heads.mixture_density import MixtureDensity
from tests.samples import randn, scramble

M, WIDTH = 3, 5


def head() -> MixtureDensity:
    return scramble(MixtureDensity(WIDTH, 3, None, components=M)).double()


def features(n: int = 7) -> Tensor:
    return randn(n, WIDTH, dtype=torch.float64)


def moves(n: int = 7) -> Tensor:
    gold = randn(n, 3, seed=2, dtype=torch.float64)
    gold[:, 2] = torch.arange(n) % 3
    return gold


def formula(one: MixtureDensity, f: Tensor, gold: Tensor) -> Any:
    """The nats of every place by torch's own distributions."""
    raw: Any = one.output(f)
    pi, mu, sigma, r, pen = raw.split([M, 2 * M, 2 * M, M, 2], dim=1)
    sigma, rho = sigma.unflatten(1, (M, 2)).exp(), r.tanh()
    s1, s2 = sigma.unbind(dim=2)
    covariance: Any = torch.stack([s1 * s1, rho * s1 * s2, rho * s1 * s2, s2 * s2], dim=2)
    bells: Any = MultivariateNormal(mu.unflatten(1, (M, 2)), covariance.unflatten(2, (2, 2)))
    mixture: Any = MixtureSameFamily(Categorical(logits=pi), bells)
    lift, end = (cast(Any, Bernoulli(logits=pen[:, n])) for n in (0, 1))
    moved = mixture.log_prob(gold[:, :2])
    lifted, ended = (
        law.log_prob((gold[:, 2] > least).double()) for law, least in ((lift, 0.5), (end, 1.5))
    )
    return -moved - lifted - torch.where(gold[:, 2] > 0, ended, 0.0)


def test_the_loss_is_the_formula() -> None:
    one, f, gold = head(), features(), moves()
    total, each = one.loss(f, gold)
    assert_close(each, formula(one, f, gold).detach())
    assert_close(total, each.sum())


def test_gradients_are_those_of_the_formula() -> None:
    one, f, gold = head(), features(4).requires_grad_(), moves(4)
    assert torch.autograd.gradcheck(lambda x: one.loss(x, gold)[0], (f,))
    parameters = [f, *one.parameters()]
    made = torch.autograd.grad(one.loss(f, gold)[0], parameters)
    right = torch.autograd.grad(formula(one, f, gold).sum(), parameters)
    assert_close(made, right)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_no_loss_is_infinite(size: float) -> None:
    one = MixtureDensity(WIDTH, 3, None, components=M)
    f = (size * randn(50, WIDTH)).requires_grad_()
    gold = randn(50, 3, seed=2)
    gold[:, 2] = torch.arange(50) % 3
    total, each = one.loss(f, gold)
    assert each.isfinite().all()
    (gradient,) = torch.autograd.grad(total, f)
    assert gradient.isfinite().all()


def test_a_point_that_is_sure_costs_no_less_than_the_floor_allows() -> None:
    one = MixtureDensity(1, 3, None, components=1, floor=0.1)
    with torch.no_grad():
        one.output.weight.zero_()
        one.output.bias.copy_(torch.tensor([0.0, 2.0, 3.0, -50.0, -50.0, 0.0, -50.0, 0.0]))
    _, each = one.loss(torch.zeros(1, 1), torch.tensor([[2.0, 3.0, 0.0]]))
    assert_close(each, torch.tensor([math.log(2 * math.pi) + 2 * math.log(0.1)]))


def test_the_best_is_the_mean_of_the_likeliest_bell_and_the_likelier_pen() -> None:
    one, f = head(), features(40)
    raw = one.output(f)
    choice = raw[:, :M].argmax(dim=1)
    mu = raw[:, M : 3 * M].unflatten(1, (M, 2))
    best = one.best(f)
    assert_close(best[:, :2], mu[torch.arange(40), choice])
    lifted, ended = raw[:, -2] > 0, raw[:, -1] > 0
    assert_close(best[:, 2], lifted.double() + (lifted & ended).double())
    assert set(best[:, 2].tolist()) == {0, 1, 2}
    assert torch.equal(one.ended(best), best[:, 2] == 2)


def test_draws_are_as_likely_as_the_density_says() -> None:
    """The mean loss of many draws is the entropy, which the formula's own draws estimate too."""
    one, n = head(), 40_000
    f = features(1).expand(n, -1)
    chance = torch.rand(n, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    drawn = one.draw(f, chance)
    raw = one.output(f[:1])[0]
    lift, end = raw[-2].sigmoid().item(), raw[-1].sigmoid().item()
    shares = [(drawn[:, 2] == pen).double().mean().item() for pen in (0, 1, 2)]
    assert shares == pytest.approx([1 - lift, lift * (1 - end), lift * end], abs=0.01)
    pi = raw[:M].softmax(dim=0)
    mu = raw[M : 3 * M].unflatten(0, (M, 2))
    mean = (pi[:, None] * mu).sum(dim=0)
    assert_close(drawn[:, :2].mean(dim=0), mean, atol=0.03, rtol=0)
    sigma, rho = raw[3 * M : 5 * M].unflatten(0, (M, 2)).exp(), raw[5 * M : 6 * M].tanh()
    both = (pi * (rho * sigma.prod(dim=1) + mu.prod(dim=1))).sum() - mean.prod()
    assert_close(torch.cov(drawn[:, :2].T)[0, 1], both, atol=0.05, rtol=0)


def test_a_bias_draws_nearer_and_nearer_to_the_best() -> None:
    one, f = head(), features(300)
    chance = torch.rand(300, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    best = one.best(f)
    far = [(one.draw(f, chance, b) - best).abs().mean().item() for b in (0.0, 1.0, 3.0, 50.0)]
    assert far == sorted(far, reverse=True)
    assert torch.equal(one.draw(f, chance, math.inf), best)
    assert (one.draw(f, chance, 90.0) - best).abs().quantile(0.99) < 1e-6  # few bells are equals


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ShapeError, match="head mixture_density: the target has 2 columns; expect"):
        MixtureDensity(WIDTH, 2, None)
    with pytest.raises(RecipeError, match=r"mixture_density: found 0 components and floor 0.01"):
        MixtureDensity(WIDTH, 3, None, components=0)
    with pytest.raises(RecipeError, match="mixture_density: found 20 components and floor 0; exp"):
        MixtureDensity(WIDTH, 3, None, floor=0.0)
