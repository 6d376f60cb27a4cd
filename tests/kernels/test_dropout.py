"""Dropout by the kernel: shares, independence, gradients, and the mask that torch computes too."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.kernels import dropout
from saccade.kernels.dropout import Draw
from saccade.kernels.library import found
from saccade.layers.dropout import Dropout, kept
from tests.samples import backward, randn

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def drop(x: Tensor, p: float = 0.3, seed: int = 1) -> Tensor:
    torch.manual_seed(seed)
    return Dropout(p)(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.9])
def test_every_lane_drops_its_share_and_scales_the_others(p: float) -> None:
    y = drop(torch.ones(50_000, 16), p)
    kept = (y != 0).double().mean(dim=0)
    assert_close(kept, torch.full_like(kept, 1 - p), atol=0.012, rtol=0.0)
    assert sorted(set(y.flatten().tolist())) == pytest.approx([0.0, 1 / (1 - p)])


def test_no_number_falls_with_another() -> None:
    first, second = (drop(torch.ones(400_000), 0.5, seed) for seed in (1, 2))
    for apart in (1, 2, 3, 4, 8, 15, 16, 17, 64, 256):
        assert ((first[apart:] - 1) * (first[:-apart] - 1)).mean().abs().item() < 0.008
    assert ((first - 1) * (second - 1)).mean().abs().item() < 0.008


@pytest.mark.parametrize("shift", [0, 32])
def test_either_half_of_a_seed_makes_another_mask(shift: int) -> None:
    kernels, x = found().kernels, torch.ones(1000)
    assert kernels is not None
    masks = []
    for half in np.random.default_rng(1).integers(1 << 30, size=50).tolist():
        masks.append(torch.empty(1000))
        seed = (half << shift) | (5 << 32 - shift)
        kernels.dropout(x.data_ptr(), 1000, seed, 1 << 31, 2.0, masks[-1].data_ptr(), 1)
    together = torch.stack(masks) - 1  # of -1 and 1
    alike = (together @ together.T / 1000).fill_diagonal_(0.0).abs()
    assert alike.max().item() < 0.25


def test_a_seed_decides_and_the_next_call_draws_anew() -> None:
    x = torch.ones(1000)
    first = drop(x)
    then = Dropout(0.3)(x)
    assert torch.equal(drop(x), first)
    assert torch.equal(Dropout(0.3)(x), then)
    assert not torch.equal(first, then)


@pytest.mark.parametrize("p", [1e-9, 0.1, 0.5, 0.999])
@pytest.mark.parametrize("size", [0, 1, 7, 16, 1001])
def test_what_stays_is_what_torch_says(size: int, p: float) -> None:
    x = randn(size) + 10
    for seed in (0, 1, (1 << 62) - 1, 0x1234_5678_9ABC_DEF0 >> 2):
        draw = Draw(seed, p)
        by_kernel = dropout.dropout(x, draw)
        assert by_kernel is not None
        assert torch.equal(by_kernel, torch.where(kept(draw, x), x * draw.scale, 0.0))


def test_what_does_not_fit_is_left_to_torch() -> None:
    assert dropout.dropout(torch.ones(3, dtype=torch.float64), Draw(1, 0.5)) is None
    assert dropout.dropout(torch.ones(3, device="meta"), Draw(1, 0.5)) is None


@pytest.mark.parametrize("size", [1, 15, 16, 17, 1000])
def test_the_gradient_goes_where_the_value_went(size: int) -> None:
    x = (randn(size) + 10).requires_grad_()
    y = drop(x, 0.5)
    back = randn(size, seed=2) + 10
    torch.autograd.backward([y], [back])
    assert x.grad is not None
    assert torch.equal(y, torch.where(y != 0, x * 2, 0))
    assert torch.equal(x.grad, torch.where(y != 0, back * 2, 0))
    longer = drop(torch.cat([x, x[:1]]).detach(), 0.5)
    assert torch.equal(longer[:size], y)  # a number's chance is its place's


def test_numbers_need_not_stand_side_by_side() -> None:
    x = (randn(17, 9) + 10).T.requires_grad_()
    y = drop(x, 0.5)
    assert torch.equal(y, drop(x.contiguous(), 0.5))
    backward(y.sum())
    assert x.grad is not None
    assert torch.equal(x.grad, torch.where(y != 0, 2.0, 0.0))


@pytest.mark.parametrize("size", [1, 17, 1000])
def test_dropout_does_not_depend_on_the_number_of_threads(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropout, "_PARALLEL_FROM", 0)
    one = drop(randn(size))
    torch.set_num_threads(2)
    assert torch.equal(drop(randn(size)), one)
