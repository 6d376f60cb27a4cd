"""Forecasts with the band that what comes lies in, as often as asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.models.base import spread_writer
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ForecastBand:
    """What was forecast, and between which numbers it lies with probability `level`, `[T, C]`."""

    prediction: Prediction
    low: Numbers
    high: Numbers
    level: float

    @property
    def line(self) -> str:
        """The forecast, the low and the high numbers as text, parted by tabs."""
        target = self.prediction.looker.target
        return "\t".join((self.prediction.text, target.write(self.low), target.write(self.high)))


def forecast_bands(
    predictor: Predictor, several: Sequence[Any], level: float, steps: int | None = None
) -> list[ForecastBand]:
    """Forecast, and say how sure that is: each place by itself, a Gaussian around its mean.

        mean -+ z s,   z = Phi^-1((1 + level) / 2)            s: the model's `read_spreads`

    Args:
        predictor: a model that knows how far off it may be, such as kalman.
        several: windows, as `Predictor.predict` takes them.
        level: how likely a place lies in its band, between 0 and 1.
        steps: how many places to forecast; as in training if None.
    """
    if not 0 < level < 1:
        raise RecipeError(
            f"forecast: a band of {level:g}; expected a probability between 0 and 1, as 0.9."
        )
    spread_writer(predictor.model, "forecast")
    found = list(predictor.predict(list(several), steps=steps))
    return [band_of(predictor, one, level) for one in found]


def band_of(predictor: Predictor, prediction: Prediction, level: float) -> ForecastBand:
    """Return the band around what was forecast."""
    model, codec = spread_writer(predictor.model, "forecast"), predictor.target
    tokens = np.asarray(prediction.hypothesis.tokens, np.float64)  # [T, C]
    tokens = tokens.reshape(-1, codec.side.size)
    with torch.inference_mode():
        sources = predictor.batch([prediction.arrays], [tokens[:0]]).sources
        spreads = model.read_spreads(sources, len(tokens))[0].double().cpu().numpy()
    away = NormalDist().inv_cdf((1 + level) / 2) * spreads
    low, high = (codec.decode((tokens + side * away).astype(np.float32)) for side in (-1, 1))
    return ForecastBand(prediction, low, high, level)
