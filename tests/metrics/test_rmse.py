"""The root of the mean squared error, by hand."""

import pytest

from saccade.metrics.rmse import Rmse


def test_by_hand() -> None:
    found = Rmse().corpus(["1 2", "3,1"], ["2 0", "3,5"])
    assert found.value == pytest.approx(((1 + 4 + 0 + 16) / 4) ** 0.5)
    assert found.detail == {"squares": 21.0, "numbers": 4.0}
