"""A forecaster in use: numbers in, numbers out, each window by itself."""

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._numbers import Scale, Scales, parse
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.forecaster import Predictor, last_season, last_value
from saccade.recipe import Decoding
from tests.samples import scramble

RNN = {"kind": "rnn", "hidden": 6, "dropout": 0.0}
WINDOWS = ["10,1 12,2 14,1", "20,5", "13,1 11,0", "30,2 31,2 32,2 33,2"]


def predictor(batch_tokens: int = 100) -> Predictor:
    model = scramble(Part(Model, "forecaster", {"encoder": RNN, "decoder": RNN}).build(2, 1))
    scales = Scales(Scale((15.0, 2.0), (5.0, 1.0)), 1, 3)
    return Predictor(model, scales, Decoding(batch_tokens=batch_tokens))


def test_a_window_does_not_know_of_its_neighbours() -> None:
    whole = predictor().forecast(WINDOWS)
    assert [f.values.shape for f in whole] == [(3, 1)] * 4
    for batch_tokens in (1, 7):
        alone = predictor(batch_tokens).forecast(WINDOWS)
        for one, other in zip(whole, alone, strict=True):
            assert np.allclose(one.values, other.values, atol=1e-4)
    turned = predictor().forecast(WINDOWS[::-1])
    assert np.allclose(turned[0].values, whole[-1].values, atol=1e-4)
    chunked = list(predictor().stream(WINDOWS, chunk=1))
    assert [f.text for f in chunked] == [predictor().forecast(w).text for w in WINDOWS]


def test_longer_forecasts_begin_as_shorter_ones() -> None:
    short, long = (predictor().forecast(WINDOWS[0], steps=n) for n in (2, 6))
    assert np.allclose(long.values[:2], short.values, atol=1e-5)
    assert np.allclose(parse(str(long)), long.values, rtol=1e-5)


def test_attention_of_a_forecast() -> None:
    one = predictor()
    (weights,) = one.look(one.forecast(WINDOWS[0])).values()
    assert weights.shape == (3, 3)
    assert np.allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_what_cannot_be_forecast() -> None:
    with pytest.raises(DataError, match="window 2: is empty; expected numbers parted by spaces"):
        predictor().forecast(["1,1", " "])
    with pytest.raises(DataError, match="window 1: 'x' is no number; expected numbers"):
        predictor().forecast("1,x")
    with pytest.raises(DataError, match="a series has 1 columns; expected 2, as in training"):
        predictor().forecast("1 2 3")
    with pytest.raises(RecipeError, match="forecast: steps is 0 and chunk 2000; expected 1"):
        predictor().forecast("1,1", steps=0)


def test_forecasts_that_need_no_model() -> None:
    window = parse("1,9 2,8 3,7 4,6")
    assert last_value(window, 2, 1).tolist() == [[4.0], [4.0]]
    assert last_season(window, 5, 2, season=2).tolist() == [[3, 7], [4, 6], [3, 7], [4, 6], [3, 7]]
    with pytest.raises(DataError, match=r"decoding.season: 5 steps, but a window has 4; expected"):
        last_season(window, 2, 1, season=5)
