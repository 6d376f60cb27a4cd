from collections.abc import Callable

import pytest
import torch
from torch import nn

from saccade.inference.freshness import Derived
from saccade.recipe import Training
from saccade.train import weights
from saccade.train.optim import optimiser_of


def _step(model: nn.Module) -> None:
    optimiser = optimiser_of(model, Training())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()


def _put(model: nn.Module) -> None:
    weights.put(model, {name: value + 1 for name, value in weights.of(model).items()}, "here")


def _load(model: nn.Module) -> None:
    model.load_state_dict({name: 2 * value for name, value in model.state_dict().items()})


def _replace(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.data = parameter.data + 1


def _widen(model: nn.Module) -> None:
    model.double()


@pytest.mark.parametrize("change", [_step, _put, _load, _replace, _widen])
def test_a_value_is_kept_until_the_weights_change(change: Callable[[nn.Module], None]) -> None:
    model = nn.Linear(3, 2)
    sums = Derived(model, lambda: [float(one.detach().sum()) for one in model.parameters()])
    first = sums.current
    assert sums.current is first
    with torch.inference_mode():
        assert sums.current is first
    change(model)
    second = sums.current
    assert second is not first
    assert second == [float(one.detach().sum()) for one in model.parameters()]
    assert sums.current is second


def test_a_model_without_weights_has_one_value() -> None:
    values = Derived(nn.Identity(), object)
    assert values.current is values.current


def test_nothing_is_made_before_it_is_asked_for() -> None:
    made: list[int] = []
    Derived(nn.Linear(1, 1), lambda: made.append(1))
    assert not made
