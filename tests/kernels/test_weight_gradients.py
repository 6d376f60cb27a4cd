"""A gradient gathered over the steps of a loop is the one that autograd adds up."""

from typing import Literal

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.rnn import RnnDecoder
from saccade.flow import Memory
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.parts import Part
from tests.samples import mask_of, randn


def walk(first: nn.Linear, second: nn.Linear, x: Tensor) -> Tensor:
    """Use two maps at every step of `x [B, T, D]`."""
    h = torch.zeros_like(x[:, 0])
    for one in x.unbind(dim=1):
        h = torch.tanh(first(one) + second(h))
    return h


@pytest.fixture
def maps() -> tuple[nn.Linear, nn.Linear]:
    return nn.Linear(4, 4).double(), nn.Linear(4, 4, bias=False).double()


def gradients(maps: tuple[nn.Linear, nn.Linear]) -> list[Tensor]:
    found = [p.grad for layer in maps for p in layer.parameters()]
    for layer in maps:
        layer.zero_grad()
    return [grad for grad in found if grad is not None]


def test_the_gradient_is_the_sum_over_the_steps(maps: tuple[nn.Linear, nn.Linear]) -> None:
    x = randn(3, 5, 4).double().requires_grad_()
    plain = walk(*maps, x)
    plain.square().sum().backward()  # type: ignore[no-untyped-call]
    expected, x_expected = gradients(maps), x.grad
    x.grad = None
    with GatherWeightGradients():
        found = walk(*maps, x)
    found.square().sum().backward()  # type: ignore[no-untyped-call]
    assert_close(found, plain)
    assert_close(gradients(maps), expected)
    assert_close(x.grad, x_expected)


def test_a_second_pass_over_the_same_graph_counts_once_more(
    maps: tuple[nn.Linear, nn.Linear],
) -> None:
    with GatherWeightGradients():
        loss = walk(*maps, randn(3, 5, 4).double()).square().sum()
    loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    once = gradients(maps)
    loss.backward()  # type: ignore[no-untyped-call]
    assert_close(gradients(maps), once)


def test_steps_that_the_loss_does_not_see_count_nothing(maps: tuple[nn.Linear, nn.Linear]) -> None:
    first, second = maps
    x = randn(2, 4).double()
    with GatherWeightGradients():
        seen, _ = first(x), second(x)
    seen.sum().backward()
    assert second.weight.grad is None
    assert_close(first.weight.grad, x.sum(dim=0).expand(4, 4))


def test_without_gradients_it_is_not_there(maps: tuple[nn.Linear, nn.Linear]) -> None:
    with torch.no_grad(), GatherWeightGradients():
        assert walk(*maps, randn(3, 5, 4).double()).grad_fn is None


@pytest.mark.parametrize("wiring", ["bahdanau", "luong"])
@pytest.mark.parametrize("attention", ["additive", "location_aware"])
def test_a_decoder_learns_the_same(wiring: Literal["bahdanau", "luong"], attention: str) -> None:
    torch.manual_seed(1)
    decoder = RnnDecoder(
        3, 4, attention=Part(Attention, attention), wiring=wiring, hidden=5, dropout=0.0
    ).double()
    x, states = randn(2, 4, 3).double(), randn(2, 6, 4).double()
    memory = Memory(states, mask_of(6, 4), states[:, 0])
    found = {}
    for training in (False, True):  # evaluation takes the plain way
        decoder.train(training)
        decoder.zero_grad()
        decoder(x, memory).features.square().sum().backward()
        found[training] = {name: p.grad for name, p in decoder.named_parameters()}
    assert_close(found[True], found[False])
