import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.search import _best
from saccade.search._best import Candidates, highest, ways_on

pytestmark = pytest.mark.usefixtures("each_form")
rows = st.lists(st.lists(st.integers(0, 4), min_size=9, max_size=9), min_size=1, max_size=3)


def by_sorting(scores: Tensor, n: int) -> list[set[int]]:
    order = scores.sort(dim=1, descending=True, stable=True).indices[:, :n]
    return [set(row) for row in order.tolist()]


@settings(max_examples=30, deadline=None)
@given(scores=rows, n=st.integers(1, 12))
def test_of_equals_those_that_stand_first(scores: list[list[int]], n: int) -> None:
    given_scores = torch.tensor(scores, dtype=torch.float)
    values, places = highest(given_scores, n)
    assert [set(row) for row in places.tolist()] == by_sorting(given_scores, n)
    assert np.array_equal(values, np.take_along_axis(given_scores.numpy(), places, axis=1))


@pytest.mark.parametrize("levels", [3, 40, 10**6])
@pytest.mark.parametrize("n_symbols", [64, 150, 1000, 1024])
def test_through_blocks_is_by_sorting(
    levels: int, n_symbols: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_best, "_MANY", 0)
    monkeypatch.setattr(_best, "_BLOCK", 8)
    noise = torch.Generator().manual_seed(levels)
    scores = torch.randint(levels, (20, n_symbols), generator=noise).float()
    scores[:, 5] = float("-inf")
    for n in (1, 2, 7):
        values, places = highest(scores, n)
        assert [set(row) for row in places.tolist()] == by_sorting(scores, n)
        assert np.array_equal(values, np.take_along_axis(scores.numpy(), places, axis=1))


def test_there_may_be_fewer_than_asked_for() -> None:
    values, places = highest(torch.tensor([[1.0, float("-inf"), 3.0]]), 9)
    assert sorted(places.tolist()[0]) == [0, 1, 2]
    assert values.shape == (1, 3)


def every_way(scores: Tensor, lines: list[list[float]], n: int) -> list[list[tuple[float, ...]]]:
    """List (total, parent, symbol, gain) of every sentence by sorting all of them."""
    found: list[list[tuple[float, ...]]] = []
    for b, own in enumerate(lines):
        sums: list[tuple[float, ...]] = [
            (float(np.float32(score) + np.float32(gain)), k, v, gain)
            for k, score in enumerate(own)
            for v, gain in enumerate(scores[b * len(own) + k].tolist())
        ]
        found.append(sorted(sums, key=lambda way: (-way[0], way[1], way[2]))[:n])
    return found


def listed(found: Candidates) -> list[list[tuple[float, ...]]]:
    return [
        list(zip(*(one.tolist() for one in row), strict=True)) for row in zip(*found, strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sentences=st.integers(1, 3),
    width=st.integers(1, 4),
    n_symbols=st.integers(1, 40),
    n=st.integers(1, 12),
    levels=st.sampled_from([1, 3, 10**6]),
)
def test_ways_on_are_the_best_sums(
    seed: int, sentences: int, width: int, n_symbols: int, n: int, levels: int
) -> None:
    chance = np.random.default_rng(seed)
    log_probs = torch.from_numpy(-chance.integers(levels, size=(sentences * width, n_symbols)) / 7)
    log_probs = log_probs.float()
    log_probs[log_probs == -1 / 7] = float("-inf")
    scores = -chance.integers(3, size=(sentences, width)).astype(np.float32)
    found = ways_on(log_probs, scores, n)
    expected = every_way(log_probs, scores.tolist(), n)
    possible = [[way for way in row if way[0] > float("-inf")] for row in expected]
    told = [row[: len(kept)] for row, kept in zip(listed(found), possible, strict=True)]
    assert told == possible
    assert found.token.shape == (sentences, min(n, width * min(n, n_symbols)))
