"""The best few of many scores: the kernels choose as a stable sort does."""

import numpy as np
import pytest
import torch

from saccade.kernels import best
from saccade.kernels.library import found
from tests.samples import kernels_off, randn

by_kernels_only = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")


@by_kernels_only
@pytest.mark.parametrize(("rows", "size", "n"), [(1, 5, 5), (3, 17, 4), (4, 1000, 10)])
def test_the_highest_are_those_of_a_stable_sort(rows: int, size: int, n: int) -> None:
    scores = randn(rows, size).mul(4).round()  # with many equals
    chosen = best.highest(scores, n)
    assert chosen is not None
    in_order = scores.sort(dim=1, descending=True, stable=True)
    assert np.array_equal(chosen[0], in_order.values[:, :n].numpy())
    assert np.array_equal(chosen[1], in_order.indices[:, :n].numpy())


@by_kernels_only
@pytest.mark.parametrize("n", [1, 4, 30])
def test_the_best_sums_of_a_line_and_a_symbol(n: int) -> None:
    sentences, lines, size = 2, 3, 7
    log_probs, scores = randn(sentences * lines, size), randn(sentences, lines, seed=2)
    chosen = best.continuations(log_probs, scores.numpy(), n)
    assert chosen is not None
    totals, parents, symbols, gains = chosen
    flat = (log_probs.view(sentences, lines, size) + scores[:, :, None]).flatten(1)
    expected = flat.sort(dim=1, descending=True).values[:, :n]  # at most all there are
    assert np.allclose(totals, expected.numpy())
    for b in range(sentences):
        row = log_probs[torch.from_numpy(parents[b] + b * lines), torch.from_numpy(symbols[b])]
        assert np.array_equal(gains[b], row.numpy())


def test_what_the_kernels_cannot_read_is_left_to_others() -> None:
    assert best.highest(randn(2, 5).double(), 2) is None
    assert best.highest(randn(5, 2).T, 2) is None
    with kernels_off():
        assert best.highest(randn(2, 5), 2) is None
        assert best.continuations(randn(2, 5), np.zeros((1, 2), np.float32), 2) is None
