"""Short trainings."""

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.explanations._practice import alone, practise
from saccade.recipe import Training


def test_an_update_is_a_step_against_the_clipped_gradient() -> None:
    layer = nn.Linear(2, 1, bias=False)
    before = layer.weight.detach().clone()
    settings = Training(optimiser="sgd", learning_rate=0.5, clip=0.1)
    course = practise(layer, lambda _: 3 * layer.weight[0, 0] + 4 * layer.weight[0, 1], 2, settings)
    assert_close(torch.tensor(course.norms), torch.tensor([5.0, 5.0]))
    assert_close(layer.weight.detach(), before - 2 * 0.5 * 0.1 * torch.tensor([[0.6, 0.8]]))
    unclipped = practise(layer, lambda _: layer.weight.sum(), 1, Training(clip=0.0))
    assert unclipped.losses == [pytest.approx(float(before.sum()) - 0.14, abs=1e-6)]


def test_a_loss_that_is_no_number_ends_it() -> None:
    layer = nn.Linear(1, 1)

    def loss(step: int) -> Tensor:
        return layer.weight.sum() * (float("inf") if step else 1.0)

    assert len(practise(layer, loss, 9, Training()).losses) == 2


def test_what_is_drawn_alone_depends_on_the_seed_alone() -> None:
    before = torch.random.get_rng_state()
    with alone(3):
        one = torch.randn(2)
    with alone(3):
        other = torch.randn(2)
    assert torch.equal(one, other)
    assert torch.equal(torch.random.get_rng_state(), before)
