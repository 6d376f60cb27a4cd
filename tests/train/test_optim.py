import pytest
import torch
from torch import nn

from saccade.train.optim import MovingAverage, moments, optimiser_of, put_moments
from tests.train import small


def test_vectors_do_not_decay() -> None:
    optimiser = optimiser_of(nn.Linear(2, 2), small.recipe(weight_decay=0.5).training)
    assert [(g["weight_decay"], g["params"][0].ndim) for g in optimiser.param_groups] == [
        (0.5, 2),
        (0.0, 1),
    ]


def test_moments_come_back_whole() -> None:
    settings = small.recipe().training
    models = [nn.Linear(2, 2), nn.Linear(2, 2)]
    optimisers = [optimiser_of(model, settings) for model in models]
    models[0](torch.ones(1, 2)).sum().backward()
    optimisers[0].step()
    saved = moments(models[0], optimisers[0])
    assert set(saved) == {
        f"adam.{kind}.{name}"
        for kind in ("step", "exp_avg", "exp_avg_sq")
        for name in ("weight", "bias")
    }
    put_moments(models[1], optimisers[1], saved)
    small.equal(moments(models[1], optimisers[1]), saved)


def test_the_average_starts_quick() -> None:
    model = nn.Linear(1, 1, bias=False)
    average = MovingAverage(model, 0.999)
    nn.init.constant_(model.weight, 1.0)
    average.weights["weight"].zero_()
    average.update(model, step=1)  # d = min(0.999, 2 / 11)
    assert average.weights["weight"].item() == pytest.approx(9 / 11)


def test_sgd_goes_down_the_gradient_and_keeps_nothing() -> None:
    settings = small.recipe(optimiser="sgd", learning_rate=0.5).training
    model = nn.Linear(2, 1)
    before = model.weight.detach().clone()
    optimiser = optimiser_of(model, settings)
    model(torch.tensor([[1.0, -2.0]])).sum().backward()
    optimiser.step()
    assert torch.equal(model.weight, before - 0.5 * torch.tensor([[1.0, -2.0]]))
    assert moments(model, optimiser) == {}
