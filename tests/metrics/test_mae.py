"""The mean absolute error, by hand."""

import pytest

from saccade.errors import DataError
from saccade.metrics.mae import Mae


def test_by_hand() -> None:
    found = Mae().corpus(["1 2", "3,1"], ["2 0", "3,5"])
    assert found.value == pytest.approx((1 + 2 + 0 + 4) / 4)
    assert found.detail == {"total": 7.0, "numbers": 4.0}
    assert str(found) == "MAE 1.75"


def test_forecasts_must_be_as_long_as_the_truth() -> None:
    said = (
        "MAE: a forecast has 2 places of 1 columns but the truth 1 places of 1 columns; expected as"
        " many. Forecast as many steps as are known."
    )
    with pytest.raises(DataError, match=said):
        Mae().corpus(["1 2"], ["1"])
    with pytest.raises(DataError, match=r"MAE: 'cat' is no number; expected numbers, as 12.5"):
        Mae().corpus([["a", "cat"][1]], ["1"])
