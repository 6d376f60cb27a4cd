"""Groups of lines, limits of lengths, and what a beam may be."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.search._plan import beam_problems, longest_output, smaller_at_the_end, sorted_batches


@given(st.lists(st.integers(0, 20)), st.integers(1, 50))
def test_sorted_batches_hold_all_longest_first(sizes: list[int], batch_tokens: int) -> None:
    found = sorted_batches(sizes, batch_tokens)
    flat = [i for rows in found for i in rows]
    assert sorted(flat) == list(range(len(sizes)))
    assert [sizes[i] for i in flat] == sorted(sizes, reverse=True)
    for rows in found:
        assert (sizes[rows[0]] + 1) * len(rows) <= batch_tokens or len(rows) == 1


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 4, 5, 7, 20])
def test_smaller_batches_at_the_end_hold_the_same_in_the_same_order(n: int, threads: int) -> None:
    batches = [list(range(10 * i, 10 * i + 10)) for i in range(n)]
    found = smaller_at_the_end(batches, threads)
    assert list(chain.from_iterable(found)) == list(range(10 * n))
    cut = threads > 1 and n > 2 * threads
    assert (max(map(len, found[-threads:]), default=10) <= 3) == cut
    assert all(found)


@given(st.integers(0, 500), st.floats(0, 5), st.integers(0, 50))
def test_an_output_may_grow_with_its_source(n: int, ratio: float, extra: int) -> None:
    assert extra <= longest_output(n, ratio, extra) <= longest_output(n + 1, ratio, extra)
    assert longest_output(n, 1.0, extra) == n + 1 + extra


def test_options_of_a_beam_that_cannot_be() -> None:
    assert beam_problems(5, 1.0, 5, 0) == []
    assert beam_problems(2, 1.0, 6, 6) == []
    assert beam_problems(0, -1.0, 1, 0) == [
        "beam.width: 0 is below 1; a beam follows 1 hypothesis or more.",
        "beam.length_penalty: -1.0 is below 0; 0 turns it off.",
        "beam.n_best: 1 is not between 1 and the 0 hypotheses that are completed; raise width or"
        " n_completed.",
    ]
    (said,) = beam_problems(5, 1.0, 6, 0)
    assert said.startswith("beam.n_best: 6 is not between 1 and the 5 hypotheses")
