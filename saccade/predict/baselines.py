"""Forecasts that need no model: what a forecaster is compared with."""

from collections.abc import Sequence

import numpy as np

from saccade.errors import DataError
from saccade.modalities._numbers import Numbers
from saccade.modalities.numbers import as_numbers
from saccade.predict.prediction import Prediction


def naive_forecasts(found: Sequence[Prediction], season: int) -> dict[str, list[Numbers]]:
    """Return the forecasts that nothing changes and that the last season comes again, by name."""
    windows = [as_numbers(one.source) for one in found]
    shapes = [one.values.shape for one in found]
    pairs = list(zip(windows, shapes, strict=True))
    naive = {"last value": [last_value(window, *shape) for window, shape in pairs]}
    if season > 1:
        naive["last season"] = [
            last_season(window, *shape, season=season) for window, shape in pairs
        ]
    return naive


def last_value(window: Numbers, n: int, n_columns: int) -> Numbers:
    """Forecast that nothing changes: the naive forecast, `[n, C]`.

    >>> last_value(np.array([[1.0], [2.0]]), 3, 1).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    return last_season(window, n, n_columns, season=1)


def last_season(window: Numbers, n: int, n_columns: int, *, season: int) -> Numbers:
    """Forecast that the last season comes again: the seasonal naive forecast, `[n, C]`.

        y[t] = x[S - m + (t - 1) mod m]            m = season; t from 1, x from 0

    >>> last_season(np.array([[1.0], [2.0], [3.0]]), 3, 1, season=2).ravel().tolist()
    [2.0, 3.0, 2.0]
    """
    if season > len(window):
        raise DataError(
            f"decoding.season: {season} steps, but a window has {len(window)}; expected a window"
            " that holds a whole season. Widen it, or set season to 0."
        )
    past = window[len(window) - season :, :n_columns]
    return np.resize(past, (n, n_columns))
