"""The gradient of a matrix by the kernel is torch's in doubles, and only where it pays."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.kernels import outer as outer_module
from saccade.kernels.library import Kernels, KernelStatus, found
from saccade.kernels.outer import outer
from tests.samples import randn

needs_kernels = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def kernels() -> Kernels:
    one = found().kernels
    assert one is not None
    return one


def by_kernels(dy: Tensor, x: Tensor, onto: Tensor | None = None) -> Tensor:
    """Multiply by the kernel whatever the shape and the processor."""
    to = torch.full((dy.shape[1], x.shape[1]), torch.nan) if onto is None else onto.clone()
    outer_module._by_kernels(kernels(), dy, x, to, adds=onto is not None)
    return to


def agree(found: Tensor, dy: Tensor, x: Tensor, onto: Tensor | float = 0.0) -> None:
    expected = dy.double().T @ x.double() + onto
    assert_close(found.double(), expected, atol=1e-5 * len(dy) ** 0.5, rtol=1e-5)


@needs_kernels
@pytest.mark.parametrize("n_in", [1, 15, 16, 63, 64, 65, 100, 256, 257, 530])
@pytest.mark.parametrize("n_out", [1, 5, 6, 7, 16, 47, 48, 49, 100])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 29])
def test_it_is_torchs(rows: int, n_out: int, n_in: int) -> None:
    dy, x = randn(rows, n_out, seed=1), randn(rows, n_in, seed=2)
    agree(by_kernels(dy, x), dy, x)
    onto = randn(n_out, n_in, seed=3)
    agree(by_kernels(dy, x, onto), dy, x, onto)


@needs_kernels
@pytest.mark.parametrize("rows", [383, 384, 385, 769, 1000])
def test_many_rows_are_taken_some_at_a_time(rows: int) -> None:
    dy, x = randn(rows, 61, seed=1), randn(rows, 270, seed=2)
    agree(by_kernels(dy, x), dy, x)
    onto = randn(61, 270, seed=3)
    agree(by_kernels(dy, x, onto), dy, x, onto)


@needs_kernels
def test_rows_may_stand_apart() -> None:
    wide, x = randn(400, 300, seed=1), randn(400, 200, seed=2)
    for dy in (wide[:, 7:107], wide[::2, :100], wide[:1, :100].expand(400, 100)):
        some = x[: len(dy), 3:133]
        agree(by_kernels(dy, some), dy, some)


@needs_kernels
@pytest.mark.parametrize("adds", [False, True])
def test_nothing_is_written_beside_the_result(adds: bool) -> None:
    dy, x, around = randn(50, 19, seed=1), randn(50, 70, seed=2), randn(21, 90, seed=3)
    before, inner = around.clone(), (slice(1, 20), slice(5, 75))
    outer_module._by_kernels(kernels(), dy, x, around[inner], adds=adds)
    agree(around[inner], dy, x, before[inner] if adds else 0.0)
    around[inner] = before[inner]
    assert torch.equal(around, before)


@needs_kernels
@pytest.mark.parametrize(("rows", "n_out", "n_in"), [(7, 1, 16), (500, 100, 70), (800, 97, 300)])
def test_it_does_not_depend_on_the_number_of_threads(rows: int, n_out: int, n_in: int) -> None:
    dy, x, onto = randn(rows, n_out, seed=1), randn(rows, n_in, seed=2), randn(n_out, n_in, seed=3)
    one = by_kernels(dy, x), by_kernels(dy, x, onto)
    for threads in (2, 3):
        torch.set_num_threads(threads)
        assert torch.equal(by_kernels(dy, x), one[0])
        assert torch.equal(by_kernels(dy, x, onto), one[1])


def asked(monkeypatch: pytest.MonkeyPatch, *, pays: bool = True) -> list[object]:
    """Return a list that calls of the kernel are noted in."""
    calls: list[object] = []
    real = kernels().outer

    def noted(call: object) -> None:
        calls.append(call)
        real(call)

    monkeypatch.setattr(kernels(), "outer_pays", pays)
    monkeypatch.setattr(kernels(), "outer", noted)
    return calls


@needs_kernels
def test_the_kernel_is_for_large_products(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = asked(monkeypatch)
    monkeypatch.setattr(outer_module, "_LARGE", 100 * 48 * 128)
    for rows in (99, 100):
        dy, x = randn(rows, 48, seed=1), randn(rows, 128, seed=2)
        agree(outer(dy, x), dy, x)
        agree(outer(dy, x, torch.ones(48, 128), adds=True), dy, x, 1.0)
        assert len(calls) == (2 if rows == 100 else 0)


@needs_kernels
@pytest.mark.parametrize(("wide", "ours"), [(100, 0), (360, 1), (64, 1), (65, 0)])
def test_and_for_panels_that_are_nearly_whole(
    wide: int, ours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = asked(monkeypatch)
    dy, x = randn(600, 300, seed=1), randn(600, wide, seed=2)
    agree(outer(dy, x), dy, x)
    assert len(calls) == ours


@needs_kernels
def test_anything_else_is_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = asked(monkeypatch)
    monkeypatch.setattr(outer_module, "_LARGE", 0)
    dy, x = randn(80, 48, seed=1), randn(80, 64, seed=2)
    columns = dy.T.contiguous().T
    for one, other in ((columns, x), (dy.double(), x.double())):
        agree(outer(one, other), one, other)
        onto = torch.ones(48, 64, dtype=one.dtype)
        agree(outer(one, other, onto, adds=True), one, other, 1.0)
        agree(outer(one, other, onto), one, other)
    agree(outer(dy, x, torch.empty(64, 48).T), dy, x)
    assert not calls


def test_of_no_rows_it_is_zero() -> None:
    assert not outer(randn(0, 5), randn(0, 7)).any()


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_without_kernels_torch_multiplies(
    kind: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outer_module, "found", lambda: KernelStatus(None, "turned off"))
    dy, x = randn(300, 192, seed=1, dtype=kind), randn(300, 256, seed=2, dtype=kind)
    assert torch.equal(outer(dy, x), dy.T @ x)
    onto = torch.ones(192, 256, dtype=kind)
    assert torch.equal(outer(dy, x, onto.clone(), adds=True), onto.addmm(dy.T, x))


@needs_kernels
def test_and_with_them_where_its_own_are_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = asked(monkeypatch, pays=False)
    dy, x = randn(300, 192, seed=1), randn(300, 256, seed=2)
    assert torch.equal(outer(dy, x), dy.T @ x)
    assert not calls
