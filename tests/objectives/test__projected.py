"""The fused output layer equals the clear one, value and gradient, whatever the blocks are."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.objectives import _projected
from saccade.objectives._likelihood import smoothed
from saccade.objectives._projected import projected
from tests.samples import randn

pytestmark = pytest.mark.usefixtures("each_form")
N, D, V = 10, 4, 7
Parts = tuple[Tensor, Tensor, Tensor]


@pytest.fixture(params=[torch.float64, torch.float32])  # the kernels serve single precision
def parts(request: pytest.FixtureRequest) -> Parts:
    shapes = ((N, D), (V, D), (V,))
    return tuple(randn(*shape, dtype=request.param).requires_grad_() for shape in shapes)  # type: ignore[return-value]


def clear(features: Tensor, weight: Tensor, bias: Tensor, gold: Tensor, smoothing: float) -> Tensor:
    log_probs = linear(features, weight, bias).log_softmax(dim=-1)
    return smoothed(log_probs, gold, smoothing).total


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 3, 10, 64])
def test_equals_the_clear_form(
    parts: Parts, smoothing: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_projected, "ROWS", rows)
    gold = torch.arange(N) % V
    expected = clear(*parts, gold, smoothing)
    total, nll = projected(*parts, gold, smoothing)
    assert_close(total, expected)
    assert_close(nll.sum(), clear(*parts, gold, 0.0))
    assert not nll.requires_grad
    for times in (1, 3):  # what counts once is given as it is kept
        made, right = (
            torch.autograd.grad(times * one, parts, retain_graph=True) for one in (total, expected)
        )
        assert_close(made, right)


def test_a_gradient_that_was_changed_is_found_again(parts: Parts) -> None:
    total, _ = projected(*parts, torch.arange(N) % V, 0.1)
    total.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    first = [one.grad.clone() for one in parts if one.grad is not None]
    for one in parts:
        assert one.grad is not None
        one.grad.div_(2)  # as clipping does
        one.grad = None
    total.backward()  # type: ignore[no-untyped-call]
    assert_close([one.grad for one in parts], first)


def test_scores_that_are_far_apart_stay_finite() -> None:
    features = torch.tensor([[1000.0], [-1000.0]], requires_grad=True)
    weight, bias = torch.tensor([[1.0], [-1.0]]), torch.zeros(2)
    total, nll = projected(features, weight, bias, torch.tensor([0, 0]), 0.0)
    total.backward()  # type: ignore[no-untyped-call]
    assert nll.tolist() == [0.0, 2000.0]
    assert features.grad is not None
    assert features.grad.isfinite().all()


def test_without_gradients_only_the_loss_is_computed(parts: Parts) -> None:
    gold = torch.arange(N) % V
    with torch.no_grad():
        total, _ = projected(*parts, gold, 0.1)
    assert not total.requires_grad
    assert_close(total, clear(*parts, gold, 0.1).detach())


def test_nothing_to_learn_from_is_zero(parts: Parts) -> None:
    features, weight, bias = parts
    total, nll = projected(features[:0], weight, bias, torch.zeros(0, dtype=torch.long), 0.1)
    assert total.item() == 0.0
    assert len(nll) == 0


@pytest.mark.parametrize("symbol", [-1, 7])
def test_a_symbol_that_there_is_not_is_refused(symbol: int) -> None:
    with pytest.raises(IndexError, match="expected ids from 0 to 6"):
        projected(randn(1, 4), randn(7, 4), randn(7), torch.tensor([symbol]), 0.1)
