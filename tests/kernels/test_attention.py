"""Attention by the kernel is what the clear form computes in doubles, and its gradients."""

from functools import partial
from math import sqrt
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.multihead import attend
from saccade.flow import causal, masked_softmax
from saccade.kernels.attention import attention
from saccade.kernels.library import found
from tests.samples import backward, mask_of, randn

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def heads(n: int, places: int, d: int, seed: int) -> Tensor:
    """Vectors of two heads as a linear layer leaves them: those of a place stand side by side."""
    both = randn(n, places, 4 * d, seed=seed)[..., : 2 * d]
    return both.unflatten(2, (2, d)).transpose(1, 2)  # type: ignore[no-untyped-call, no-any-return]


def clear(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax(q @ k.mT / sqrt(q.shape[3]), mask) @ v


def with_gradients(function: Any, parts: list[Tensor], mask: Tensor) -> list[Tensor]:
    parts = [one.detach().requires_grad_() for one in parts]
    read = function(*parts, mask)
    back = randn(*read.shape, seed=8, dtype=read.dtype)
    return [read.detach(), *torch.autograd.grad(read, parts, back)]


def by_kernels(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    read = attend(q, k, v, mask, 0.0)
    assert "_Attention" in str(read.grad_fn)
    return read


def masks(T: int, S: int) -> dict[str, Tensor]:
    """Masks of three sentences that broadcast to `[3, 1, T, S]`."""
    padding = mask_of(S, S - S // 2, 1)[:, None, None]
    order = causal(max(T, S), torch.device("cpu"))[None, None, :T, :S]
    some = randn(3, 1, T, S, seed=5) > 0
    some[1, :, T // 2] = False
    return {"padding": padding, "causal": order, "both": padding & order, "holes": some}


@pytest.mark.parametrize("kind", ["padding", "causal", "both", "holes"])
@pytest.mark.parametrize("d", [16, 48, 64])
@pytest.mark.parametrize(("T", "S"), [(1, 1), (1, 17), (5, 7), (7, 5), (40, 33), (64, 64)])
def test_attention_and_its_gradients_are_the_clear_ones(T: int, S: int, d: int, kind: str) -> None:
    parts = [heads(3, T, d, 1), heads(3, S, d, 2), heads(3, S, d, 3)]
    mask = masks(T, S)[kind]
    found = with_gradients(by_kernels, parts, mask)
    expected = with_gradients(clear, [one.double() for one in parts], mask)
    assert_close([one.double() for one in found], expected, atol=1e-5, rtol=1e-5)


def test_where_nothing_is_kept_nothing_is_read_and_nothing_learned() -> None:
    parts = [heads(2, 3, 16, 1), heads(2, 5, 16, 2), heads(2, 5, 16, 3)]
    mask = mask_of(0, 5)[:, None, None]
    found = with_gradients(by_kernels, parts, mask)
    for one in found:
        assert not one[0].any()
        assert one[1].any()
        assert one.isfinite().all()


def test_numbers_of_a_head_need_not_stand_side_by_side() -> None:
    parts = [randn(2, 2, 16, n, seed=n).mT for n in (3, 5, 5)]
    mask = mask_of(5, 2)[:, None, None]
    found = with_gradients(by_kernels, parts, mask)
    expected = with_gradients(clear, [one.double() for one in parts], mask)
    assert_close([one.double() for one in found], expected, atol=1e-5, rtol=1e-5)
    q, k, v = (one.requires_grad_() for one in parts)
    backward(attend(q, k, v, mask, 0.0).sum())  # its gradient is one number, shown everywhere
    assert v.grad is not None
    weights = masked_softmax(q @ k.mT / 4, mask)
    assert_close(v.grad, weights.sum(dim=2)[..., None].expand_as(v).detach())


@pytest.mark.parametrize(("T", "S"), [(64, 64), (65, 64), (64, 65)])
def test_long_sequences_are_left_to_torch_and_nothing_changes_at_the_border(T: int, S: int) -> None:
    parts = [heads(1, T, 16, 1), heads(1, S, 16, 2), heads(1, S, 16, 3)]
    mask = masks(T, S)["padding"][1:2]
    q, k, v = parts[0].detach().requires_grad_(), parts[1], parts[2]
    assert ("_Attention" in str(attend(q, k, v, mask, 0.0).grad_fn)) == (max(T, S) <= 64)
    found = with_gradients(partial(attend, dropout=0.0), parts, mask)
    expected = with_gradients(clear, [one.double() for one in parts], mask)
    assert_close([one.double() for one in found], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("d", [8, 20])
def test_other_widths_and_shared_keys_are_left_to_torch(d: int) -> None:
    for n_keys, width in ((3, d), (1, 16)):
        q, k, v = heads(3, 4, width, 1), heads(n_keys, 5, width, 2), heads(n_keys, 5, width, 3)
        mask = masks(4, 5)["padding"]
        assert_close(attend(q, k, v, mask, 0.0), clear(q, k, v, mask), atol=1e-5, rtol=1e-5)


def test_attention_does_not_depend_on_the_number_of_threads() -> None:
    parts = [heads(3, 9, 48, 1), heads(3, 11, 48, 2), heads(3, 11, 48, 3)]
    one = with_gradients(by_kernels, parts, masks(9, 11)["both"])
    torch.set_num_threads(2)
    two = with_gradients(by_kernels, parts, masks(9, 11)["both"])
    assert all(map(torch.equal, one, two))


@pytest.mark.parametrize("size", [1, 15, 16, 17, 64])
def test_the_exponential_is_good_to_the_last_digits(size: int) -> None:
    """The scores are exact, and what is read are the weights: the softmax alone is seen."""
    scores = torch.linspace(-80.0, 0.0, size)
    q, k, v = torch.zeros(1, 1, 1, 64), torch.zeros(1, 1, size, 64), torch.zeros(1, 1, size, 64)
    q[..., 0], k[..., 0] = 8.0, scores  # sqrt(d) = 8
    v[0, 0, :, :size] = torch.eye(size)
    everywhere = torch.ones(1, 1, 1, size, dtype=torch.bool)
    found = attend(q.requires_grad_(), k, v, everywhere, 0.0)[0, 0, 0, :size].detach().double()
    assert_close(found, scores.double().softmax(dim=0), rtol=1e-6, atol=0.0)


def test_other_precision_is_left_to_torch() -> None:
    q, k, v = (heads(1, 3, 16, seed).double() for seed in (1, 2, 3))
    everywhere = torch.ones(1, 1, 3, 3, dtype=torch.bool)
    assert attention(q, k, v, everywhere) is None
    assert_close(attend(q, k, v, everywhere, 0.0), clear(q, k, v, everywhere))
