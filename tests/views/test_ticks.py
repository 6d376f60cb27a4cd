"""Round numbers for axes."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.views.ticks import drawable, short, ticks

numbers = st.floats(-1e100, 1e100)


@settings(deadline=None)
@given(numbers, numbers)
def test_ticks_enclose_the_range_and_are_few(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = ticks(low, high)
    slack = 1e-6 * (found[-1] - found[0])
    assert found[0] <= low + slack
    assert found[-1] >= high - slack
    assert 2 <= len(found) <= 9
    assert all(x < y for x, y in pairwise(found))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5000, "5k"),
        (1234, "1234"),
        (999999, "1000k"),
        (-0.5, "-0.5"),
        (1e-9, "1e-9"),
        (1e20, "1e20"),
    ],
)
def test_numbers_are_written_short(value: float, written: str) -> None:
    assert short(value) == written


def test_what_is_not_finite_is_said_in_words() -> None:
    assert short(float("nan")) == short(float("inf")) == "not finite"


def test_only_sensible_numbers_have_a_place() -> None:
    assert [drawable(x) for x in (0.0, 1e100, 1e101, float("nan"))] == [True, True, False, False]
