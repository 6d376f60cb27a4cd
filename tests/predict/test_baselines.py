"""Forecasts that need no model."""

import pytest

from saccade.errors import DataError
from saccade.modalities._numbers import parse
from saccade.predict.baselines import last_season, last_value, naive_forecasts
from tests.predict.test_values import WINDOWS, predictor


def test_forecasts_that_need_no_model() -> None:
    window = parse("1,9 2,8 3,7 4,6")
    assert last_value(window, 2, 1).tolist() == [[4.0], [4.0]]
    assert last_season(window, 5, 2, season=2).tolist() == [[3, 7], [4, 6], [3, 7], [4, 6], [3, 7]]
    with pytest.raises(DataError, match=r"decoding.season: 5 steps, but a window has 4; expected"):
        last_season(window, 2, 1, season=5)


def test_baselines_are_as_far_as_the_forecasts() -> None:
    found = predictor().predict([WINDOWS[0], WINDOWS[3]], steps=2)
    naive = naive_forecasts(found, 3)
    assert [one.tolist() for one in naive["last value"]] == [[[14.0]] * 2, [[33.0]] * 2]
    assert [one.ravel().tolist() for one in naive["last season"]] == [[10.0, 12.0], [31.0, 32.0]]
    assert set(naive_forecasts(found, 0)) == set(naive_forecasts(found, 1)) == {"last value"}
