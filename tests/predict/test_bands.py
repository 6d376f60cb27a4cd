"""Bands around forecasts hold as often as they say, and are drawn and written."""

from typing import Any

import numpy as np
import pytest

from saccade.data.codecs import Codecs
from saccade.errors import RecipeError
from saccade.inspections.band import BandView
from saccade.inspections.base import draw
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.kalman import Kalman
from saccade.predict.bands import forecast_bands
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests.look.test_inspection import translator
from tests.samples import randn, series

HORIZON = 4


@pytest.fixture(scope="module")
def wandering() -> tuple[Predictor, Any]:
    """A filter fitted to random walks, and others that it never saw, in units of the data."""
    walks = randn(400, 12, 1, seed=3).cumsum(dim=1).double().numpy()
    walks += 0.1 * randn(400, 12, 1, seed=5).double().numpy()
    read, came = walks[:200, :8], walks[:200, 8:]
    model = Kalman(*series(1), structure="trend", drift=0.3, iterations=10)
    for i in range(10):
        sides = (LaidSide(x.reshape(-1, 1), np.full(200, x.shape[1])) for x in (read, came))
        source, target = sides
        model.count(LaidPairs({"source": source}, target), i)
    codec = NumbersCodec(Scale((5.0,), (2.0,)), HORIZON)
    predictor = Predictor(model, Codecs({"source": codec}, codec), Decoding(metrics=[]))
    return predictor, 5.0 + 2.0 * walks[200:]


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_bands_hold_as_often_as_they_say(wandering: tuple[Predictor, Any], level: float) -> None:
    predictor, walks = wandering
    bands = forecast_bands(predictor, list(walks[:, :8]), level)
    inside = [
        (band.low <= truth) & (truth <= band.high)
        for band, truth in zip(bands, walks[:, 8:], strict=True)
    ]
    assert np.mean(inside) == pytest.approx(level, abs=0.08)
    widths = np.diff((bands[0].high - bands[0].low)[:, 0])
    assert (widths > 0).all()  # the further, the less is known
    middle = (bands[0].low + bands[0].high) / 2
    np.testing.assert_allclose(middle, bands[0].prediction.values, atol=1e-3)


def test_a_band_is_drawn(wandering: tuple[Predictor, Any]) -> None:
    predictor, walks = wandering
    drawing = draw(predictor, walks[0, :8], "band")
    assert BandView.suits(predictor)
    assert "90% above" in drawing.svg
    lines = drawing.terminal(60).splitlines()
    assert [line.split()[0] for line in lines] == ["forecast", "below", "above"]
    said, below, above = ([float(x) for x in line.split()[1:]] for line in lines)
    assert all(a < b < c for a, b, c in zip(below, said, above, strict=True))


def test_who_does_not_know_is_refused(wandering: tuple[Predictor, Any]) -> None:
    network = translator("bahdanau")
    assert not BandView.suits(network)
    with pytest.raises(RecipeError, match="EncoderDecoder does not say how sure it is of a number"):
        forecast_bands(network, ["two cats"], 0.9)
    with pytest.raises(RecipeError, match="a band of 1; expected a probability between 0 and 1"):
        forecast_bands(wandering[0], ["1 2 3"], 1.0)
