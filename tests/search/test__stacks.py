"""Stacks find what listing every derivation finds, and tell what became of hypotheses."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels.stack import StackLimits
from saccade.search._stacks import Language, Outlook, StackSearch
from tests.search.phrases import END, derivations, options, score_of, text_of

WIDE = StackLimits(10_000, inf, 1)
seeds = st.integers(0, 10_000)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, n=st.integers(1, 4), reach=st.integers(0, 3))
def test_a_wide_stack_finds_the_best_derivation(seed: int, n: int, reach: int) -> None:
    one = options([n], seed, reach)
    best = max(score_of(one, path) for path in derivations(one))
    found = StackSearch(one, 0, Language(one.language)).run(99, END, WIDE)
    assert found.finished
    assert found.scores[0] == pytest.approx(best, abs=1e-5)
    assert score_of(one, found.paths[0]) == pytest.approx(best, abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, reach=st.integers(0, 2))
def test_the_n_best_are_the_best_of_all(seed: int, reach: int) -> None:
    one = options([3], seed, reach)
    every = sorted((score_of(one, path) for path in derivations(one)), reverse=True)
    limits = StackLimits(10_000, inf, 8)
    search = StackSearch(one, 0, Language(one.language))
    search.bounded = False
    found = search.run(99, END, limits)
    assert found.scores == pytest.approx(every[: len(found.scores)], abs=1e-5)
    assert len(found.scores) == min(8, len(every))
    assert [score_of(one, path) for path in found.paths] == pytest.approx(found.scores, abs=1e-5)


def test_no_jump_is_made_where_none_is_allowed() -> None:
    one = options([5], 3, reach=0)
    (path,) = StackSearch(one, 0, Language(one.language)).run(99, END, WIDE).paths
    spans = one.spans[path]
    assert spans[0, 0] == 0
    assert (spans[1:, 0] == spans[:-1, 1]).all()


@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(1, 5))
def test_the_outlook_is_the_best_way_to_cover_words_alone(seed: int, n: int) -> None:
    one = options([n], seed, reach=3)
    outlook, own = Outlook(one, 0, 3), one.scores + one.guesses

    def alone(begin: int, end: int) -> float:
        if begin == end:
            return 0.0
        spans = one.spans.tolist()
        fitting = [o for o, (a, b) in enumerate(spans) if a == begin and b <= end]
        return max((own[o] + alone(spans[o][1], end) for o in fitting), default=-inf)

    assert outlook(0, 0) == pytest.approx(alone(0, n))
    if n >= 3:  # word 1 is covered
        assert outlook(0, 0b10) == pytest.approx(alone(0, 1) + alone(2, n))


def test_a_limit_of_words_ends_early() -> None:
    one = options([4], 5, reach=1)
    found = StackSearch(one, 0, Language(one.language)).run(2, END, WIDE)
    assert not found.finished
    assert len(text_of(one, found.paths[0])) <= 2


def test_what_became_of_hypotheses_is_counted() -> None:
    one = options([5], 7)
    found = StackSearch(one, 0, Language(one.language)).run(99, END, StackLimits(3, inf, 1))
    assert found.stacks[0] == (1, 0, 0, 1)
    assert all(stack.kept <= 3 for stack in found.stacks)
    assert sum(stack.recombined for stack in found.stacks) > 0
    assert sum(stack.skipped for stack in found.stacks) > 0
    narrow = StackSearch(one, 0, Language(one.language)).run(99, END, StackLimits(99, 0.5, 1))
    assert sum(one.kept for one in narrow.stacks) < sum(one.made for one in narrow.stacks)


def test_a_language_model_that_is_paid_for_is_bounded_by_nothing() -> None:
    one = options([3], 9, weight=-0.5)
    best = max(score_of(one, path) for path in derivations(one))
    found = StackSearch(one, 0, Language(one.language)).run(99, END, WIDE)
    assert found.scores[0] == pytest.approx(best, abs=1e-5)


def test_nothing_is_covered_by_nothing() -> None:
    one = options([0])
    found = StackSearch(one, 0, Language(one.language)).run(9, END, WIDE)
    assert (found.paths, found.finished) == ([[]], True)
    assert np.isfinite(found.scores).all()
