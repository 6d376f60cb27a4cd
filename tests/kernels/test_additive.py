"""Scores of additive attention by the kernel are what the clear form computes in doubles."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.kernels.additive import additive_scores
from saccade.kernels.library import found
from tests.samples import backward, kernels_off, made_by, mask_of, randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


def clear(query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(query[:, :, None] + keys[:, None]) @ v


def with_gradients(function: Any, parts: list[Tensor]) -> list[Tensor]:
    parts = [one.detach().requires_grad_() for one in parts]
    scores = function(*parts)
    back = randn(*scores.shape, seed=8, dtype=scores.dtype)
    back[:, :, -1] = 0.0  # as of a place that is not kept
    return [scores.detach(), *torch.autograd.grad(scores, parts, back)]


@pytest.mark.parametrize("H", [16, 48, 256])
@pytest.mark.parametrize(("B", "T", "S"), [(1, 1, 1), (3, 1, 49), (2, 5, 7)])
def test_scores_and_gradients_are_the_clear_ones(B: int, T: int, S: int, H: int) -> None:
    parts = [2 * randn(B, T, H), 2 * randn(B, S, H, seed=2), randn(H, seed=3)]
    expected = with_gradients(clear, [one.double() for one in parts])
    got = [one.double() for one in with_gradients(additive_scores, parts)]
    assert_close(got, expected, atol=2e-5, rtol=1e-5)


def test_they_do_not_depend_on_the_number_of_threads() -> None:
    parts = [randn(64, 3, 64), randn(64, 30, 64, seed=2), randn(64, seed=3)]
    one = with_gradients(additive_scores, parts)
    torch.set_num_threads(2)
    two = with_gradients(additive_scores, parts)
    assert all(map(torch.equal, one, two))


def test_what_stands_apart_in_memory_is_read_right() -> None:
    query, keys, v = randn(2, 16, 3).mT, randn(2, 16, 5, seed=2).mT, randn(16, 2, seed=3)[:, 0]
    assert_close(additive_scores(query, keys, v), clear(query, keys, v))


def test_what_no_kernel_takes_is_left_to_torch() -> None:
    for H, dtype in ((8, torch.float32), (16, torch.float64)):
        parts = [randn(2, 3, H, dtype=dtype), randn(2, 5, H, dtype=dtype), randn(H, dtype=dtype)]
        assert additive_scores(*parts) is None
    assert additive_scores(randn(2, 3, 16), randn(2, 0, 16), randn(16)) is None


def test_attention_takes_it() -> None:
    attention = scramble(Additive(8, 8, hidden=16))
    query, states, mask = randn(2, 3, 8), randn(2, 6, 8, seed=2), mask_of(6, 4)[:, None]

    def read() -> tuple[Tensor, list[Tensor]]:
        attention.zero_grad()
        context = attention(query, attention.prepare(states), mask, {}).context
        backward(context.square().sum())
        return context, [p.grad.clone() for p in attention.parameters() if p.grad is not None]

    fast, fast_gradients = read()
    assert made_by("_Scores", fast)
    with kernels_off():
        slow, slow_gradients = read()
    assert not made_by("_Scores", slow)
    assert_close(fast, slow)
    assert_close(fast_gradients, slow_gradients)
