"""Addressing against a few lines of numpy, and what the papers promise of it."""

import itertools

import numpy as np
import numpy.typing as npt
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from saccade.cells._addressing import (
    Links,
    allocation,
    content,
    erase_and_add,
    follow,
    interpolate,
    oneplus,
    relink,
    retention,
    sharpen,
    shift,
    similarity,
    usage,
)
from tests.samples import randn

B, N, M, H = 2, 5, 3, 2
Floats = npt.NDArray[np.float64]
seeds = st.integers(0, 10_000)


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return randn(*shape, seed=seed, dtype=torch.float64)


def weights(seed: int = 1, n_heads: int = H) -> Tensor:
    return (2 * drawn(B, n_heads, N, seed=seed)).softmax(dim=2)


def softmax(x: Floats) -> Floats:
    powers: Floats = np.exp(x - x.max())
    shares: Floats = powers / powers.sum()
    return shares


def test_content_is_a_softmax_of_cosines() -> None:
    memory, key, strength = drawn(B, N, M), drawn(B, H, M, seed=2), drawn(B, H, 1, seed=3).exp()
    found = content(memory, key, strength)
    for b in range(B):
        for h in range(H):
            m, k = memory[b].numpy(), key[b, h].numpy()
            cosine = m @ k / (np.linalg.norm(m, axis=1) * np.linalg.norm(k) + 1e-6)
            assert np.allclose(found[b, h], softmax(strength[b, h].item() * cosine))


def test_nothing_is_like_everything() -> None:
    assert torch.equal(similarity(torch.zeros(1, N, M), randn(1, 1, M)), torch.zeros(1, 1, N))
    key = torch.zeros(1, 1, M, requires_grad=True)
    torch.autograd.backward([similarity(randn(1, N, M), key).sum()])
    assert key.grad is not None
    assert key.grad.isfinite().all()


def test_interpolation_shift_and_sharpening_are_the_formulas() -> None:
    found, before = weights(1), weights(2)
    gate, power = drawn(B, H, 1, seed=3).sigmoid(), oneplus(drawn(B, H, 1, seed=4))
    steps = drawn(B, H, 3, seed=5).softmax(dim=2)
    mixed = interpolate(found, before, gate)
    assert_close(mixed, gate * found + (1 - gate) * before)
    moved = shift(mixed, steps)
    sharp = sharpen(moved, power)
    for b in range(B):
        for h in range(H):
            w, s = mixed[b, h].numpy(), steps[b, h].numpy()
            expected = [sum(s[j + 1] * w[(n - j) % N] for j in (-1, 0, 1)) for n in range(N)]
            assert np.allclose(moved[b, h], expected)
            powers = np.array(expected) ** power[b, h].item()
            assert np.allclose(sharp[b, h], powers / powers.sum())


def test_a_whole_step_goes_round_the_ring() -> None:
    at_end = torch.eye(N)[None, -1:]
    on = torch.tensor([[[0.0, 0, 0, 0, 1]]])
    assert shift(at_end, on).tolist() == [[[0, 1, 0, 0, 0]]]
    assert shift(at_end, on.flip(2)).tolist() == [[[0, 0, 1, 0, 0]]]


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_addresses_stay_distributions(seed: int) -> None:
    steps = drawn(B, H, 3, seed=seed).softmax(dim=2)
    one = sharpen(shift(weights(seed), steps), oneplus(drawn(B, H, 1, seed=seed)))
    assert_close(one.sum(dim=2), torch.ones(B, H, dtype=torch.float64))
    assert (one >= 0).all()


def test_writing_is_the_formula_with_one_head_and_with_two() -> None:
    for n_heads in (1, 2):
        memory, w = drawn(B, N, M), weights(2, n_heads)
        erase, add = drawn(B, n_heads, M, seed=3).sigmoid(), drawn(B, n_heads, M, seed=4)
        expected = memory.clone()
        for h in range(n_heads):
            expected = expected * (1 - w[:, h, :, None] * erase[:, h, None])
        for h in range(n_heads):
            expected = expected + w[:, h, :, None] * add[:, h, None]
        assert_close(erase_and_add(memory, w, erase, add), expected)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_allocation_takes_the_slot_used_least(used: list[float]) -> None:
    given_use = np.array(used)
    found = allocation(torch.tensor([used], dtype=torch.float64))[0].numpy()
    order = np.argsort(given_use, kind="stable")
    expected, left = np.zeros(len(used)), 1.0
    for slot in order:
        expected[slot] = (1 - given_use[slot]) * left
        left *= given_use[slot]
    assert np.allclose(found, expected)
    assert found.sum() <= 1 + 1e-9
    assert np.isclose(found.sum(), 1 - np.prod(given_use))
    if given_use.min() == 0:
        assert found[order[0]] == 1


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_usage_is_a_share(seed: int) -> None:
    used, write = drawn(B, N, seed=seed).sigmoid(), weights(seed + 1, 1)[:, 0]
    free = drawn(B, H, 1, seed=seed + 2).sigmoid()
    kept = retention(free, weights(seed + 3))
    after = usage(used, write, kept)
    assert ((kept >= 0) & (kept <= 1)).all()
    assert ((after >= 0) & (after <= 1)).all()
    assert (usage(used, write, torch.ones_like(kept)) >= used).all()  # nothing was freed
    assert_close(usage(used, write, torch.zeros_like(kept)), torch.zeros_like(used))


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_links_keep_what_the_paper_says_of_them(seed: int) -> None:
    links = Links(torch.zeros(B, N, N).double(), torch.zeros(B, N).double())
    for t in range(6):
        gate = drawn(B, 1, seed=seed + 50 + t).sigmoid()
        links = relink(links, gate * weights(seed + t, 1)[:, 0])
        one = torch.ones(B, N).double() + 1e-9
        assert (links.links >= 0).all()
        assert (links.links.sum(dim=1) <= one).all()
        assert (links.links.sum(dim=2) <= one).all()
        assert (links.links.diagonal(dim1=1, dim2=2) == 0).all()
        assert (links.precedence.sum(dim=1) <= 1 + 1e-9).all()


def test_links_lead_along_the_order_of_writing() -> None:
    order = [3, 0, 4, 1]
    links = Links(torch.zeros(1, N, N), torch.zeros(1, N))
    for slot in order:
        links = relink(links, torch.eye(N)[None, slot])
    for before, after in itertools.pairwise(order):
        back, on = follow(links.links, torch.eye(N)[None, None, before])
        assert on.argmax().item() == after
        assert on.sum().item() == 1
        back, _ = follow(links.links, torch.eye(N)[None, None, after])
        assert back.argmax().item() == before
