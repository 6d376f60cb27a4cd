import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.fast import panels
from saccade.fast.panels import Closing, Crew, Normed, Panels, side_by_side
from saccade.native.library import Kernels, found
from saccade.native.structures import Linear
from tests.samples import randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
SIZES = [(1, 1), (5, 3), (16, 16), (17, 63), (48, 64), (33, 65), (7, 130)]  # in, out


def kernels() -> Kernels:
    known = found().kernels
    assert known is not None
    return known


def product(layer: Panels, x: Tensor) -> Tensor:
    """Multiply rows `[N, in]` as a memory of one sentence and one head is folded."""
    y = x.new_full((len(x) + 1, layer.structure.out), 7.0)
    one = (Linear * 1)(layer.structure)
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
    found = product(side_by_side(layers, kernels()), x)
    assert_close(found, torch.cat([layer(x) for layer in layers], dim=1).detach())


def test_a_norm_outlives_its_module() -> None:
    norm = nn.LayerNorm(16)
    normed = Normed(norm, pre=True)
    assert normed.weight.data_ptr() == norm.weight.data_ptr() == normed.structure.weight
    assert normed.bias.data_ptr() == norm.bias.data_ptr() == normed.structure.bias
    assert not normed.weight.requires_grad


def test_there_may_be_no_closing_norm() -> None:
    assert Closing(nn.Identity()).at is None
    assert Closing(nn.LayerNorm(16)).at


def test_a_second_thread_is_for_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(2)
    monkeypatch.setattr(panels, "_SMALL", 100)
    assert [Crew().size(n) for n in (99, 100)] == [1, 2]


def test_who_had_to_wait_works_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(2)
    monkeypatch.setattr(panels, "_WHILE", 3)
    crew, much = Crew(), 1 << 22
    crew.took(0.001, much, 2)  # as long as the work takes
    assert crew.size(much) == 2
    crew.took(1.0, much, 1)  # nobody was waited for
    assert crew.size(much) == 2
    crew.took(1.0, much, 2)
    assert [crew.size(n) for n in (much, 1, much, much, much)] == [1, 1, 1, 2, 2]
