"""Numbers as text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.modalities._numbers import parse, written

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_what_is_written_is_read(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows)
    assert np.array_equal(parse(written(values)), values)


@pytest.mark.parametrize("text", ["1 two", "1 nan", "1 inf", "1 ,", "1 2,"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"line 3: '.*' is no number; expected numbers, as 12.5 or"):
        parse(text, "line 3")


def test_every_place_has_the_same_columns() -> None:
    said = "here: a place has 2 columns but the first has 1; expected as many in every place"
    with pytest.raises(DataError, match=said):
        parse("1 2,3", "here")
    assert parse("").shape == (0, 0)
