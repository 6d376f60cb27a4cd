"""The fused output layer equals the clear one, value and gradient, whatever the blocks are."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.heads.base import smoothed
from saccade.kernels import cross_entropy, projection
from saccade.kernels.cross_entropy import projected_cross_entropy
from saccade.kernels.library import found
from tests.samples import kernels_off, randn

each_form = pytest.mark.usefixtures("each_form")
by_kernels_only = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
N, D, V = 10, 4, 7
Parts = tuple[Tensor, Tensor, Tensor]


@pytest.fixture(params=[torch.float64, torch.float32])  # the kernels serve single precision
def parts(request: pytest.FixtureRequest) -> Parts:
    shapes = ((N, D), (V, D), (V,))
    return tuple(randn(*shape, dtype=request.param).requires_grad_() for shape in shapes)  # type: ignore[return-value]


def clear(features: Tensor, weight: Tensor, bias: Tensor, gold: Tensor, smoothing: float) -> Tensor:
    log_probs = linear(features, weight, bias).log_softmax(dim=-1)
    return smoothed(log_probs, gold, smoothing)[0]


@each_form
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 3, 10, 64])
def test_equals_the_clear_form(
    parts: Parts, smoothing: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_entropy, "ROWS", rows)
    gold = torch.arange(N) % V
    expected = clear(*parts, gold, smoothing)
    total, nll = projected_cross_entropy(*parts, gold, smoothing)
    assert_close(total, expected)
    assert_close(nll.sum(), clear(*parts, gold, 0.0))
    assert not nll.requires_grad
    for times in (1, 3):  # what counts once is given as it is kept
        made, right = (
            torch.autograd.grad(times * one, parts, retain_graph=True) for one in (total, expected)
        )
        assert_close(made, right)


@each_form
def test_a_gradient_that_was_changed_is_found_again(parts: Parts) -> None:
    total, _ = projected_cross_entropy(*parts, torch.arange(N) % V, 0.1)
    total.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    first = [one.grad.clone() for one in parts if one.grad is not None]
    for one in parts:
        assert one.grad is not None
        one.grad.div_(2)  # as clipping does
        one.grad = None
    total.backward()  # type: ignore[no-untyped-call]
    assert_close([one.grad for one in parts], first)


@each_form
def test_scores_that_are_far_apart_stay_finite() -> None:
    features = torch.tensor([[1000.0], [-1000.0]], requires_grad=True)
    weight, bias = torch.tensor([[1.0], [-1.0]]), torch.zeros(2)
    total, nll = projected_cross_entropy(features, weight, bias, torch.tensor([0, 0]), 0.0)
    total.backward()  # type: ignore[no-untyped-call]
    assert nll.tolist() == [0.0, 2000.0]
    assert features.grad is not None
    assert features.grad.isfinite().all()


@each_form
def test_without_gradients_only_the_loss_is_computed(parts: Parts) -> None:
    gold = torch.arange(N) % V
    with torch.no_grad():
        total, _ = projected_cross_entropy(*parts, gold, 0.1)
    assert not total.requires_grad
    assert_close(total, clear(*parts, gold, 0.1).detach())


@each_form
def test_nothing_to_learn_from_is_zero(parts: Parts) -> None:
    features, weight, bias = parts
    total, nll = projected_cross_entropy(
        features[:0], weight, bias, torch.zeros(0, dtype=torch.long), 0.1
    )
    assert total.item() == 0.0
    assert len(nll) == 0


@each_form
@pytest.mark.parametrize("symbol", [-1, 7])
def test_a_symbol_that_there_is_not_is_refused(symbol: int) -> None:
    with pytest.raises(IndexError, match="expected ids from 0 to 6"):
        projected_cross_entropy(randn(1, 4), randn(7, 4), randn(7), torch.tensor([symbol]), 0.1)


def loss_parts(n: int, d: int, symbols: int) -> tuple[Tensor, Tensor, Tensor]:
    parts = randn(n, d), randn(symbols, d, seed=2), randn(symbols, seed=3)
    for one in parts:
        one.requires_grad_()
    return parts


def loss_and_gradients(parts: tuple[Tensor, ...], gold: Tensor, smoothing: float) -> list[Tensor]:
    features, weight, bias = parts
    total, nll = projected_cross_entropy(features, weight, bias, gold, smoothing)
    return [total.detach(), nll, *torch.autograd.grad(total, parts)]


def clear_loss(parts: tuple[Tensor, ...], gold: Tensor, smoothing: float) -> list[Tensor]:
    features, weight, bias = (one.detach().double().requires_grad_() for one in parts)
    log_probs = linear(features, weight, bias).log_softmax(dim=-1)
    total = smoothed(log_probs, gold, smoothing)[0]
    nll = -log_probs.gather(1, gold[:, None])[:, 0]
    grads = torch.autograd.grad(total, (features, weight, bias))
    return [one.detach().float() for one in (total, nll, *grads)]


@by_kernels_only
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("symbols", [1, 7, 16, 50, 8001])
@pytest.mark.parametrize("rows", [4, 384])
def test_the_loss_and_its_gradients_are_the_clear_ones(
    symbols: int, smoothing: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_entropy, "ROWS", rows)
    parts, gold = loss_parts(10, 12, symbols), torch.arange(10) * 811 % symbols
    by_kernels = loss_and_gradients(parts, gold, smoothing)
    assert_close(by_kernels, clear_loss(parts, gold, smoothing), rtol=1e-5, atol=1e-5)
    with kernels_off():
        by_torch = loss_and_gradients(parts, gold, smoothing)
    assert_close(by_kernels, by_torch, rtol=1e-5, atol=1e-5)


@by_kernels_only
@pytest.mark.parametrize("width", [1, 12, 16, 65])
@pytest.mark.parametrize("symbols", [255, 256, 600])  # around those that go back at a time
@pytest.mark.parametrize("rows", [1, 23, 25, 100])  # around those that are at hand together
def test_blocks_of_all_sizes_are_scored_as_the_clear_form_scores_them(
    rows: int, symbols: int, width: int
) -> None:
    parts, gold = loss_parts(rows, width, symbols), torch.arange(rows) * 811 % symbols
    found, expected = loss_and_gradients(parts, gold, 0.1), clear_loss(parts, gold, 0.1)
    assert_close(found, expected, rtol=1e-5, atol=1e-5)


@by_kernels_only
def test_a_loss_is_learned_from_after_one_that_nobody_could_learn_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(projection, "_workspaces", projection._Workspaces())  # none was made before
    larger, parts = loss_parts(60, 48, 900), loss_parts(50, 32, 800)
    gold = torch.arange(60)
    with torch.inference_mode():
        features, weight, bias = larger
        projected_cross_entropy(
            features, weight, bias, gold, 0.1
        )  # makes room for all that follows
    found, expected = (f(parts, gold[:50], 0.1) for f in (loss_and_gradients, clear_loss))
    assert_close(found, expected, rtol=1e-5, atol=1e-5)


@by_kernels_only
@pytest.mark.parametrize("symbols", [7, 50])
def test_a_loss_that_nobody_learns_from_is_the_same(symbols: int) -> None:
    parts, gold = loss_parts(10, 12, symbols), torch.arange(10) % symbols
    total, nll, *_ = loss_and_gradients(parts, gold, 0.1)
    with torch.no_grad():
        found = projected_cross_entropy(*parts, gold, 0.1)
    assert torch.equal(found[0], total)
    assert torch.equal(found[1], nll)


@by_kernels_only
@pytest.mark.parametrize(("rows", "width", "symbols"), [(33, 12, 50), (90, 48, 700)])
def test_the_loss_is_the_same_with_any_number_of_threads(
    rows: int, width: int, symbols: int
) -> None:
    parts, gold = loss_parts(rows, width, symbols), torch.arange(rows) % symbols
    one = loss_and_gradients(parts, gold, 0.1)
    torch.set_num_threads(2)
    two = loss_and_gradients(parts, gold, 0.1)
    for a, b in zip(one, two, strict=True):
        assert torch.equal(a, b)


@by_kernels_only
@pytest.mark.parametrize("symbols", [2, 17, 50])
def test_the_loss_of_far_scores_is_finite(symbols: int) -> None:
    parts = torch.tensor([[80.0], [-80.0], [0.0]]), torch.zeros(symbols, 1), torch.zeros(symbols)
    parts[1][0], parts[1][1] = 1.0, -1.0  # scores are 80, -80 and 0
    for one in parts:
        one.requires_grad_()
    for gold in (torch.tensor([0, 1, 0]), torch.tensor([1, 0, 1])):
        found = loss_and_gradients(parts, gold, 0.1)
        assert all(one.isfinite().all() for one in found)
        assert_close(found, clear_loss(parts, gold, 0.1), rtol=1e-6, atol=1e-6)
