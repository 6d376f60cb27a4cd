"""Whole numbers are digits, and not too many of them."""

import pytest

from saccade.intake.numbers import whole


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "1.0", "²", "٣", "9" * 19])
def test_any_other_text_is_none(text: str) -> None:
    assert whole(text) is None
