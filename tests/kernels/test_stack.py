"""The stacks in C: what the clear form finds, bit for bit."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels import library
from saccade.kernels.stack import StackLimits, cover, follow
from saccade.search._stacks import Language, StackSearch
from tests.samples import kernels_off
from tests.search.phrases import END, options

needs = pytest.mark.skipif(library.found().kernels is None, reason="there are no kernels")


@needs
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    reach=st.integers(0, 6),
    kept=st.builds(
        StackLimits,
        st.sampled_from([1, 4, 50]),
        st.sampled_from([1.0, 6.0, inf]),
        st.sampled_from([1, 20]),
    ),
    limit=st.sampled_from([3, 99]),
    weight=st.sampled_from([0.7, -0.2]),
)
def test_they_find_what_the_clear_form_finds(
    seed: int, lengths: list[int], reach: int, kept: StackLimits, limit: int, weight: float
) -> None:
    given_options = options(lengths, seed, reach, weight)
    language = Language(given_options.language)
    found = cover(given_options, np.full(len(lengths), limit), END, kept)
    plain = [
        StackSearch(given_options, row, language).run(limit, END, kept)
        for row in range(len(lengths))
    ]
    assert found == plain


@needs
def test_a_long_sentence_is_covered_too() -> None:
    one = options([700], reach=6)
    (found,) = cover(one, np.array([9_999]), END, StackLimits(5, inf, 1)) or []
    assert found.finished
    assert sum(int(np.diff(one.spans[o])[0]) for o in found.paths[0]) == 700


def test_without_kernels_there_is_nothing() -> None:
    with kernels_off():
        assert cover(options([2]), np.array([9]), END, StackLimits(5, inf, 1)) is None
        assert follow(options([2]), 0, [4], END, 5) is None
