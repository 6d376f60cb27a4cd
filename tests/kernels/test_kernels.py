"""The best few of many scores are those that a stable sort puts first."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels.library import found
from saccade.search import _best
from saccade.search._best import highest
from tests.samples import randn

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
INFINITY = float("inf")


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


def test_other_precision_is_left_to_torch() -> None:
    scores = randn(3, 7).double()
    assert highest(scores, 2)[0].dtype == np.float64
