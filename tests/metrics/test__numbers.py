"""Errors of numbers, whatever form they come in."""

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.metrics._numbers import errors


def test_text_and_arrays_are_read_alike() -> None:
    assert errors("1,2 3,4", ["1,1 1,1"], "mae").tolist() == [0.0, 1.0, 2.0, 3.0]
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert errors(array, ["1,1 1,1"], "mae").tolist() == [0.0, 1.0, 2.0, 3.0]


def test_the_nearest_reference_counts() -> None:
    assert errors("1 2", ["9 9", "1 3", "0 0"], "mae").tolist() == [0.0, -1.0]


def test_a_forecast_of_another_length_is_refused() -> None:
    said = r"rmse: a forecast has 2 places of 1 columns but the truth 3 places of 1 columns; expec"
    with pytest.raises(DataError, match=said):
        errors("1 2", ["1 2 3"], "rmse")
