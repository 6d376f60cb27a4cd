"""What training and search compute by the kernels is what the clear forms compute in doubles."""

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import linear
from torch.testing import assert_close

from saccade.attention import _fused
from saccade.attention._fused import attend
from saccade.kernels import library
from saccade.kernels.library import KernelStatus, found
from saccade.masks import causal, masked_softmax
from saccade.objectives import _projected, _scored
from saccade.objectives._likelihood import smoothed
from saccade.objectives._projected import projected
from saccade.search import _best
from saccade.search._best import highest
from tests.samples import backward, mask_of, randn

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
INFINITY = float("inf")


# Attention


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
    assert "_Short" in str(read.grad_fn)
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
    assert ("_Short" in str(attend(q, k, v, mask, 0.0).grad_fn)) == (max(T, S) <= 64)
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


# The loss


def loss_parts(n: int, d: int, symbols: int) -> tuple[Tensor, Tensor, Tensor]:
    parts = randn(n, d), randn(symbols, d, seed=2), randn(symbols, seed=3)
    for one in parts:
        one.requires_grad_()
    return parts


def loss_and_gradients(parts: tuple[Tensor, ...], gold: Tensor, smoothing: float) -> list[Tensor]:
    features, weight, bias = parts
    total, nll = projected(features, weight, bias, gold, smoothing)
    return [total.detach(), nll, *torch.autograd.grad(total, parts)]


def clear_loss(parts: tuple[Tensor, ...], gold: Tensor, smoothing: float) -> list[Tensor]:
    features, weight, bias = (one.detach().double().requires_grad_() for one in parts)
    log_probs = linear(features, weight, bias).log_softmax(dim=-1)
    total = smoothed(log_probs, gold, smoothing).total
    nll = -log_probs.gather(1, gold[:, None])[:, 0]
    grads = torch.autograd.grad(total, (features, weight, bias))
    return [one.detach().float() for one in (total, nll, *grads)]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("symbols", [1, 7, 16, 50, 8001])
@pytest.mark.parametrize("rows", [4, 384])
def test_the_loss_and_its_gradients_are_the_clear_ones(
    symbols: int, smoothing: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_projected, "ROWS", rows)
    parts, gold = loss_parts(10, 12, symbols), torch.arange(10) * 811 % symbols
    by_kernels = loss_and_gradients(parts, gold, smoothing)
    assert_close(by_kernels, clear_loss(parts, gold, smoothing), rtol=1e-5, atol=1e-5)
    monkeypatch.setattr(_projected, "found", lambda: KernelStatus(None, "not now"))
    assert_close(by_kernels, loss_and_gradients(parts, gold, smoothing), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("width", [1, 12, 16, 65])
@pytest.mark.parametrize("symbols", [255, 256, 600])  # around those that go back at a time
@pytest.mark.parametrize("rows", [1, 23, 25, 100])  # around those that are at hand together
def test_blocks_of_all_sizes_are_scored_as_the_clear_form_scores_them(
    rows: int, symbols: int, width: int
) -> None:
    parts, gold = loss_parts(rows, width, symbols), torch.arange(rows) * 811 % symbols
    found, expected = loss_and_gradients(parts, gold, 0.1), clear_loss(parts, gold, 0.1)
    assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_a_loss_is_learned_from_after_one_that_nobody_could_learn_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_scored, "_rooms", _scored._Rooms())  # none was made before
    larger, parts = loss_parts(60, 48, 900), loss_parts(50, 32, 800)
    gold = torch.arange(60)
    with torch.inference_mode():
        features, weight, bias = larger
        projected(features, weight, bias, gold, 0.1)  # makes room for all that follows
    found, expected = (f(parts, gold[:50], 0.1) for f in (loss_and_gradients, clear_loss))
    assert_close(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("symbols", [7, 50])
def test_a_loss_that_nobody_learns_from_is_the_same(symbols: int) -> None:
    parts, gold = loss_parts(10, 12, symbols), torch.arange(10) % symbols
    total, nll, *_ = loss_and_gradients(parts, gold, 0.1)
    with torch.no_grad():
        found = projected(*parts, gold, 0.1)
    assert torch.equal(found[0], total)
    assert torch.equal(found[1], nll)


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


# The best few


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 300),
    n=st.integers(1, 310),
    levels=st.sampled_from([1, 2, 5, 100, 10**6]),
    threads=st.integers(1, 2),
)
def test_the_best_are_those_that_a_stable_sort_puts_first(
    seed: int, size: int, n: int, levels: int, threads: int
) -> None:
    drawn = np.random.default_rng(seed).integers(levels, size=(3, size))
    scores = torch.from_numpy(drawn).float()
    scores[scores == 0] = -INFINITY
    torch.set_num_threads(threads)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_best, "_MANY", 0)
        values, places = highest(scores, n)
    order = scores.sort(dim=1, descending=True, stable=True).indices[:, :n]
    assert [set(row) for row in places.tolist()] == [set(row) for row in order.tolist()]
    assert places.shape == values.shape == (3, min(n, size))
    assert np.array_equal(values, np.take_along_axis(scores.numpy(), places, axis=1))


def test_what_does_not_stand_side_by_side_is_found_too() -> None:
    scores = randn(100, 3).T
    values, places = highest(scores, 4)
    expected = scores.topk(4)
    assert np.array_equal(np.sort(places), np.sort(expected.indices.numpy()))
    assert np.array_equal(np.sort(values), np.sort(expected.values.numpy()))


def test_other_precision_is_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_is_asked_for() -> KernelStatus:
        raise AssertionError

    for where in (_fused, _projected):
        monkeypatch.setattr(where, "found", none_is_asked_for)
    monkeypatch.setattr(library, "found", none_is_asked_for)
    q, k, v = (heads(1, 3, 16, seed).double() for seed in (1, 2, 3))
    everywhere = torch.ones(1, 1, 3, 3, dtype=torch.bool)
    assert_close(attend(q, k, v, everywhere, 0.0), clear(q, k, v, everywhere))
    assert highest(q[0, 0], 2)[0].dtype == np.float64
    features, weight, bias = (one.double() for one in loss_parts(3, 4, 5))
    assert projected(features, weight, bias, torch.arange(3), 0.1)[0].dtype is torch.float64
