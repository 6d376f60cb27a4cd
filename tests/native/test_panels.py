import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.inference.linear import BlockedLinear
from saccade.kernels.structures import LinearWeights
from saccade.native.panels import LastNorm, NormPointers, Panels
from tests.native.kernels import kernels, maker, needs_bytes, needs_kernels
from tests.samples import randn, scramble

pytestmark = needs_kernels
SIZES = [(1, 1), (5, 3), (16, 16), (17, 63), (48, 64), (33, 65), (7, 130)]  # in, out


def product(layer: Panels, x: Tensor) -> Tensor:
    """Multiply rows `[N, in]` as a memory of one sentence and one head is folded."""
    y = x.new_full((len(x) + 1, layer.structure.out), 7.0)
    one = (LinearWeights * 1)(layer.structure)
    kernels().fold(one, 1, 1, len(x), x.data_ptr(), y.data_ptr(), 1)
    assert (y[-1] == 7.0).all()  # nothing is written behind the last row
    return y[:-1]


@pytest.mark.parametrize(("n_in", "n_out"), SIZES)
@pytest.mark.parametrize("rows", range(1, 14))
def test_a_product_in_panels_is_torchs(rows: int, n_in: int, n_out: int) -> None:
    x, weight, bias = randn(rows, n_in), randn(n_out, n_in, seed=2), randn(n_out, seed=3)
    found = product(Panels(weight, bias, kernels()), x)
    expected = linear(x.double(), weight.double(), bias.double())
    assert_close(found.double(), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("n_in", "n_out"), SIZES)
def test_a_row_is_the_same_in_any_company(n_in: int, n_out: int) -> None:
    x, layer = randn(13, n_in), Panels(randn(n_out, n_in, seed=2), randn(n_out, seed=3), kernels())
    together = product(layer, x)
    for first, last in ((0, 1), (5, 6), (12, 13), (3, 12), (1, 6)):
        assert torch.equal(product(layer, x[first:last]), together[first:last])


def test_a_transposed_matrix_is_laid_out_as_it_reads() -> None:
    weight, bias = randn(5, 70, seed=2).T, randn(70, seed=3)
    x = randn(3, 5)
    assert_close(product(Panels(weight, bias, kernels()), x), linear(x, weight, bias))


def test_layers_side_by_side_are_one() -> None:
    layers, x = [scramble(nn.Linear(6, n), seed=n) for n in (3, 70)], randn(4, 6)
    found = product(maker().side_by_side(layers), x)
    assert_close(found, torch.cat([layer(x) for layer in layers], dim=1).detach())


def test_a_norm_outlives_its_module() -> None:
    norm = nn.LayerNorm(16)
    normed = NormPointers(norm, pre=True)
    assert normed.weight.data_ptr() == norm.weight.data_ptr() == normed.structure.weight
    assert normed.bias.data_ptr() == norm.bias.data_ptr() == normed.structure.bias
    assert not normed.weight.requires_grad


def test_there_may_be_no_last_norm() -> None:
    assert LastNorm(nn.Identity()).at is None
    assert LastNorm(nn.LayerNorm(16)).at


def in_bytes(weight: Tensor, bias: Tensor) -> Panels:
    layer = maker(int8=True).panels(weight, bias)
    assert layer.weight is None
    return layer


def rounded_product(x: Tensor, weight: Tensor, bias: Tensor, most: int) -> Tensor:
    """The definition of `kernels/int8.h`, in doubles."""
    x, weight = x.double(), weight.double()
    scales = weight.abs().amax(dim=1) / most  # [out]
    lowest = x.amin(dim=1).clamp(max=0)  # [N]
    worth = (x.amax(dim=1).clamp(min=0) - lowest) / (2 * most + 1)  # [N]
    zero = (-lowest / worth + 0.5).floor()  # [N]
    of_weight = (weight / scales[:, None]).round().nan_to_num()
    of_x = (x / worth[:, None] + zero[:, None] + 0.5).floor() - zero[:, None]
    return of_x.nan_to_num() @ of_weight.T * worth[:, None] * scales + bias.double()


@needs_bytes
@pytest.mark.parametrize(("n_in", "n_out"), SIZES)
@pytest.mark.parametrize("rows", [1, 2, 6, 7, 50, 101])
def test_a_product_of_bytes_is_what_it_says(rows: int, n_in: int, n_out: int) -> None:
    x, weight, bias = randn(rows, n_in), randn(n_out, n_in, seed=2), randn(n_out, seed=3)
    x[0], weight[0] = 0.0, 0.0  # of nothing there is no scale
    found = product(in_bytes(weight, bias), x).double()
    expected = (rounded_product(x, weight, bias, most) for most in (127, 63))
    off = min(
        ((found - one).abs() / one.abs().amax() for one in expected), key=lambda one: one.amax()
    )
    # a number on the edge between two levels may fall to either side in single precision
    assert off.median() < 1e-5
    assert off.amax() < 0.03
    assert_close(found, linear(x, weight, bias).double(), rtol=0.05, atol=0.07 * n_in**0.5)


@needs_bytes
def test_the_largest_numbers_do_not_overflow() -> None:
    for sign in (1.0, -1.0):
        x, weight = torch.full((2, 4096), 3.0), torch.full((5, 4096), sign * 2.0)
        found = product(in_bytes(weight, torch.zeros(5)), x)
        assert_close(found, torch.full((2, 5), sign * 6.0 * 4096))


@needs_bytes
@pytest.mark.parametrize(("n_in", "n_out"), SIZES)
def test_a_row_of_bytes_is_the_same_in_any_company(n_in: int, n_out: int) -> None:
    x, layer = randn(60, n_in), in_bytes(randn(n_out, n_in, seed=2), randn(n_out, seed=3))
    together = product(layer, x)
    for first, last in ((0, 1), (5, 6), (59, 60), (3, 12), (1, 50)):
        assert torch.equal(product(layer, x[first:last]), together[first:last])


@needs_bytes
def test_a_layer_may_ask_to_be_exact() -> None:
    weight = randn(4, 4)
    assert maker(int8=True).exact(weight, None).bytes is None
    assert maker(int8=True).panels(weight, None).bytes is not None
    assert maker().panels(weight, None).bytes is None


def test_what_the_kernels_cannot_read_is_laid_out_by_torch() -> None:
    assert type(maker()(randn(4, 4), None)) is Panels
    assert type(maker()(randn(4, 4).double(), None)) is BlockedLinear


@pytest.mark.parametrize("int8", [False, pytest.param(True, marks=needs_bytes)])
def test_something_may_be_added_or_cut_off_at_zero(int8: bool) -> None:
    layer, x, onto = maker(int8=int8).panels(randn(70, 6, seed=2), None), randn(3, 6), randn(3, 70)
    assert torch.equal(layer(x, relu=True), layer(x).relu())
    assert_close(layer(x, onto), layer(x) + onto)


@needs_bytes
@pytest.mark.parametrize("threads", [1, 2])
def test_bytes_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    x, layer = randn(5, 64), in_bytes(randn(200, 64, seed=2), randn(200, seed=3))
    y = x.new_empty(5, 200)
    kernels().multiply(layer.structure, x.data_ptr(), 5, None, 1, y.data_ptr(), threads)
    assert torch.equal(y, product(layer, x).clamp(min=0))


@needs_bytes
@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_not_rounded_away(wrong: float) -> None:
    x, weight = randn(3, 20), randn(5, 20, seed=2)
    x[1, 13] = wrong
    found = product(in_bytes(weight, torch.zeros(5)), x)
    assert found.isfinite().all(dim=1).tolist() == [True, False, True]
