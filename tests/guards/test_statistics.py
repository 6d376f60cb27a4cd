import numpy as np
import pytest

from saccade.guards.bands import Band, at
from saccade.guards.statistics import measure


def test_limits_follow_length() -> None:
    lengths = np.repeat([5, 20], 500)
    figures = np.concatenate([np.linspace(0, 1, 500), np.linspace(10, 11, 500)])
    bands = measure(lengths, figures, 0.01)
    assert [band.up_to for band in bands] == [5, 20]
    assert (bands[0].low, bands[0].high) == pytest.approx((0.01, 0.99), abs=1e-3)
    assert bands[1].low == pytest.approx(10.01, abs=0.01)
    assert at(bands, 3) == bands[0]
    assert at(bands, 6) == bands[1]
    assert at(bands, 600) == bands[1]


def test_few_and_none() -> None:
    assert measure([], [], 0.01) == ()
    assert at((), 3) is None
    assert measure([4], [0.5], 0.01) == (Band(4, 0.5, 0.5),)
