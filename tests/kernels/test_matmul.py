"""Products by oneDNN are torch's, value and gradient, and only large ones are made by it."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.kernels import matmul
from saccade.kernels.matmul import OneDnnLinear, multiply, onednn_where_it_pays
from tests.samples import backward, randn

pytestmark = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(),  # type: ignore[no-untyped-call]
    reason="torch was built without oneDNN",
)
IN, OUT = 256, 320


@pytest.fixture(autouse=True)
def _of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul, "_LARGE_NEW_SHAPE", 0)


Parts = tuple[Tensor, ...]


def parts(*rows: int, biased: bool = True) -> Parts:
    made = (randn(*rows, IN), randn(OUT, IN, seed=2), *([randn(OUT, seed=3)] if biased else []))
    for one in made:
        one.requires_grad_()
    return made


def is_ours(y: Tensor) -> bool:
    return y.grad_fn is not None and "_Linear" in y.grad_fn.name()


def agree(given: Parts, y: Tensor, back: Tensor) -> None:
    """Compare value and gradients with those that torch computes in doubles."""
    whole = [one.detach().double().requires_grad_() for one in given]
    expected = linear(*whole)
    assert_close(y.double(), expected, atol=1e-4, rtol=1e-5)
    found = torch.autograd.grad(y, given, back)
    wanted = torch.autograd.grad(expected, whole, back.double())
    assert_close([one.double() for one in found], list(wanted), atol=1e-3, rtol=1e-5)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("rows", [(64,), (4, 16), (2, 4, 8)])
def test_a_large_product_is_torchs(rows: tuple[int, ...], biased: bool) -> None:
    given = parts(*rows, biased=biased)
    with OneDnnLinear():
        y = linear(*given)
    assert is_ours(y)
    assert y.shape == (*rows, OUT)
    agree(given, y, randn(*rows, OUT, seed=4))


def test_gradients_need_not_stand_side_by_side() -> None:
    given = parts(4, 16)
    for back in (
        randn(16, 4, OUT, seed=4).transpose(0, 1),
        randn(4, 16, 2 * OUT, seed=4)[..., ::2],
        torch.ones(()).expand(4, 16, OUT),
    ):
        with OneDnnLinear():
            y = linear(*given)
        assert is_ours(y)
        agree(given, y, back)


def test_nor_need_what_is_multiplied() -> None:
    given = (randn(16, 4, IN).transpose(0, 1), randn(IN, OUT, seed=2).T, randn(OUT, seed=3))
    for one in given:
        one.requires_grad_()
    with OneDnnLinear():
        y = linear(*given)
    assert is_ours(y)
    agree(given, y, randn(4, 16, OUT, seed=4))


def test_a_layer_knows_nothing_of_it() -> None:
    layer, x = nn.Linear(IN, OUT), randn(64, IN)
    outside = layer(x)
    with OneDnnLinear():
        y = layer(x)
    assert is_ours(y)
    assert not is_ours(outside)
    assert_close(y, outside)


@pytest.mark.parametrize("frozen", [0, 1, 2])
def test_what_is_frozen_gets_no_gradient(frozen: int) -> None:
    given = parts(64)
    given[frozen].requires_grad = False
    with OneDnnLinear():
        y = linear(*given)
    assert is_ours(y)
    backward(y.sum())
    assert [one.grad is None for one in given] == [i == frozen for i in range(3)]


def test_only_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul, "_LARGE", 64 * IN * OUT)
    for rows, ours in ((63, False), (64, True)):
        given = parts(rows)
        with OneDnnLinear():
            y = linear(*given)
        assert is_ours(y) == ours
        agree(given, y, randn(rows, OUT, seed=4))


def test_a_layer_of_few_products_is_multiplied_by_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Tensor:
        raise AssertionError("oneDNN was asked")

    monkeypatch.setattr(matmul, "_LARGE_NEW_SHAPE", 64 * IN * OUT + 1)
    monkeypatch.setattr(matmul, "_onednn_linear", never)
    given = parts(64)
    with OneDnnLinear():
        y = linear(*given)
    assert is_ours(y)
    agree(given, y, randn(64, OUT, seed=4))


def test_double_precision_is_left_alone() -> None:
    given = tuple(one.detach().double().requires_grad_() for one in parts(64))
    with OneDnnLinear():
        y = linear(*given)
    assert not is_ours(y)
    assert torch.equal(y, linear(*given))


def test_one_vector_is_left_alone() -> None:
    x, weight = randn(2048).requires_grad_(), randn(2048, 2048, seed=2).requires_grad_()
    with OneDnnLinear():
        y = linear(x, weight)
    backward(y.sum())
    assert not is_ours(y)
    assert x.grad is not None
    assert_close(x.grad, weight.detach().sum(dim=0), atol=1e-3, rtol=0.0)


def test_without_gradients_torch_computes() -> None:
    given = parts(64)
    with OneDnnLinear(), torch.no_grad():
        y = linear(*given)
        assert torch.equal(y, linear(*given))
    assert y.grad_fn is None


def test_other_functions_are_left_alone() -> None:
    x = parts(64)[0]
    with OneDnnLinear():
        y = torch.relu(x) @ x.T
    assert_close(y, torch.relu(x) @ x.T)


def test_a_bias_may_be_named() -> None:
    x, weight, bias = parts(64)
    with OneDnnLinear():
        y = linear(x, weight, bias=bias)
    agree((x, weight, bias), y, randn(64, OUT, seed=4))


@pytest.mark.parametrize("rows", [3, 64])  # by torch, by oneDNN
def test_matrices_to_multiply_may_be_transposed(rows: int) -> None:
    x, weight = randn(rows, IN), randn(OUT, IN, seed=2)
    expected = (x.double() @ weight.double().T).float()
    for one in (x, x.T.contiguous().T):
        for other in (weight, weight.T.contiguous().T):
            assert_close(multiply(one, other), expected, atol=1e-4, rtol=1e-5)
    bias = randn(OUT, seed=3)
    assert_close(multiply(x, weight, bias), expected + bias, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("wide", [True, False])
def test_without_avx512_it_is_for_few_rows_and_for_many_outputs(
    wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matmul, "_has_avx512", lambda: wide)
    with OneDnnLinear():
        assert is_ours(linear(*parts(128)))
        assert is_ours(linear(*parts(129))) == wide
        assert is_ours(linear(randn(129, 64).requires_grad_(), randn(4096, 64)))


@pytest.mark.parametrize("wide", [False, True])
def test_calls_are_looked_at_where_that_pays(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul, "_has_avx512", lambda: wide)
    monkeypatch.setattr(matmul, "_available", lambda: True)
    assert isinstance(onednn_where_it_pays(), OneDnnLinear) == wide
