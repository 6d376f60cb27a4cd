"""Products in bfloat16 change a loss by no more than their rounding, and no weight's type."""

import copy
import os

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from saccade.attention.multihead import attend
from saccade.kernels.cross_entropy import projected_cross_entropy
from saccade.kernels.matmul import limit_onednn_cache
from saccade.kernels.precision import Precision, lowered, lowest, native, products
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import CrossEntropy
from tests.samples import MODELS, backward, mask_of, pairs_batch, randn, trained, vocabulary

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("precision", "expected"),
    [
        ("float32", torch.float32),
        ("bfloat16", torch.bfloat16),
        ("auto", torch.bfloat16 if native(CPU) else torch.float32),
    ],
)
def test_products_have_the_precision_that_is_named(
    precision: Precision, expected: torch.dtype
) -> None:
    with products(precision, CPU):
        assert (randn(2, 3) @ randn(3, 2)).dtype is expected
        assert lowered(randn(2)).dtype is expected
    assert lowered(randn(2)).dtype is torch.float32


def test_a_gathered_gradient_is_the_sum_over_the_steps() -> None:
    layer = torch.nn.Linear(8, 8)
    x = randn(4, 5, 8)

    def walk() -> Tensor:
        h = torch.zeros(4, 8)
        for one in x.unbind(dim=1):
            h = torch.tanh(layer(one) + layer(h))
        return h.square().sum()

    backward(walk())
    expected = layer.weight.grad
    layer.zero_grad()
    with products("bfloat16", CPU), GatherWeightGradients():
        found = walk()
    backward(found)
    assert layer.weight.grad is not None
    assert layer.weight.grad.dtype is torch.float32
    assert_close(layer.weight.grad, expected, atol=0.1, rtol=0.05)


def test_the_fused_loss_is_that_of_float32_but_for_rounding() -> None:
    parts = (randn(10, 4), randn(7, 4, seed=2), randn(7, seed=3))
    for part in parts:
        part.requires_grad_()
    gold = torch.arange(10) % 7
    expected, _ = projected_cross_entropy(*parts, gold, 0.1)
    with products("bfloat16", CPU):
        total, nll = projected_cross_entropy(*parts, gold, 0.1)
    assert total.dtype is nll.dtype is torch.float32
    assert_close(total, expected, rtol=0.01, atol=0.0)
    found = torch.autograd.grad(total, parts)
    assert [grad.dtype for grad in found] == [torch.float32] * 3
    assert_close(found, torch.autograd.grad(expected, parts), rtol=0.05, atol=0.05)


def test_fused_attention_is_in_float32_on_a_processor() -> None:
    q, k, v = (randn(2, 2, 3, 4, seed=i).to(torch.bfloat16) for i in range(3))
    mask = mask_of(3, 2)[:, None, None]
    found = attend(q, k, v, mask, 0.0)
    assert found.dtype is torch.float32
    expected = scaled_dot_product_attention(q.float(), k.float(), v.float(), mask)
    assert_close(found, expected)


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_can_begin_to_learn(kind: str) -> None:
    model, objective = copy.deepcopy(trained(kind, 25)).train(), CrossEntropy(vocabulary().decode)
    moment = Moment(1, torch.Generator())
    with products("bfloat16", CPU):
        low = objective(model, pairs_batch(), moment)
    backward(low.total)
    gradient = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    model.zero_grad()
    high = objective(model, pairs_batch(), moment)
    backward(high.total)
    expected = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    assert_close(low.total, high.total, rtol=0.02, atol=0.0)
    assert (gradient - expected).norm() < 0.1 * expected.norm()


@pytest.mark.parametrize("made_for_it", [True, False])
def test_what_a_processor_refuses_is_not_asked_for(
    made_for_it: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saccade.kernels.precision.native", lambda _: made_for_it)
    with products("bfloat16", CPU), lowest(CPU):
        assert torch.is_autocast_enabled("cpu") == made_for_it
    with lowest(CPU):
        assert not torch.is_autocast_enabled("cpu")


def test_onednn_keeps_few_programs_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    for given, expected in ((None, "512"), ("3", "3")):
        monkeypatch.delenv(name, raising=False)
        if given:
            monkeypatch.setenv(name, given)
        limit_onednn_cache.cache_clear()
        products("float32", CPU)
        assert os.environ[name] == expected
