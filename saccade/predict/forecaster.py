"""A trained forecaster with its scales: numbers in, numbers out.

The forecast of a window depends on that window alone: not on the batch it stands in, nor on the
order of the lines.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import overload

import numpy as np
import torch

from saccade.data.windows import Vectors, collate, pad
from saccade.errors import DataError, RecipeError
from saccade.modalities._numbers import Numbers, Scales, parse, written
from saccade.models.base import Model
from saccade.recipe import Decoding
from saccade.search._follow import follow
from saccade.search._plan import sorted_batches

_CHUNK = 2000  # windows of a stream that are sorted by length together


@dataclass(frozen=True, slots=True)
class Forecast:
    """What comes after a window: window `[S, C]` and values `[T, C']`, in the data's units."""

    window: Numbers
    values: Numbers

    @property
    def text(self) -> str:
        """The forecast as text of numbers."""
        return written(self.values)

    def __str__(self) -> str:
        return self.text


class Predictor:
    """Forecasts. Safe to use from several threads: it holds no state.

    Args:
        model: what was trained.
        scales: what its numbers are divided by, and how far it looks ahead.
        decoding: how large a batch may be.
    """

    def __init__(self, model: Model, scales: Scales, decoding: Decoding) -> None:
        self.model, self.scales, self.decoding = model.eval(), scales, decoding

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    @overload
    def forecast(self, text: str, *, steps: int | None = None) -> Forecast: ...
    @overload
    def forecast(self, text: list[str], *, steps: int | None = None) -> list[Forecast]: ...
    def forecast(
        self, text: str | list[str], *, steps: int | None = None
    ) -> Forecast | list[Forecast]:
        """Forecast one window, or a list of them; `steps` as in `stream`."""
        if isinstance(text, str):
            return next(self.stream([text], steps=steps))
        return list(self.stream(text, steps=steps))

    def stream(
        self, lines: Iterable[str], *, steps: int | None = None, chunk: int = _CHUNK
    ) -> Iterator[Forecast]:
        """Forecast windows as they come and yield results in their order.

        Args:
            lines: texts of numbers, as `saccade.modalities._numbers` reads them.
            steps: how many places to forecast; as many as in training if not given.
            chunk: how many lines to read before the first result is yielded.
        """
        n = self.scales.horizon if steps is None else steps
        if min(n, chunk) < 1:
            raise RecipeError(
                f"forecast: steps is {n} and chunk {chunk}; expected 1 or more each; raise it."
            )
        numbered = enumerate(lines, start=1)
        while rows := list(islice(numbered, chunk)):
            windows = [self._window(text, f"window {i}") for i, text in rows]
            yield from self._forecast(windows, n)

    def _window(self, text: str, where: str) -> Numbers:
        values = parse(text, where)
        if not len(values):
            raise DataError(
                f"{where}: is empty; expected numbers parted by spaces. Leave the line out."
            )
        return values

    @torch.inference_mode()
    def _forecast(self, windows: list[Numbers], n: int) -> list[Forecast]:
        scaled: list[Vectors] = [self.scales.source.apply(window) for window in windows]
        found: list[Numbers] = [np.zeros((0, 0))] * len(windows)
        for rows in sorted_batches([len(one) for one in scaled], self.decoding.batch_tokens):
            sources = [scaled[i] for i in rows]
            first = np.stack([one[-1, : len(self.scales.target)] for one in sources])  # [B, C]
            state = self.model.start(pad(sources).to(self.device))
            values = follow(self.model.step, state, torch.from_numpy(first).to(self.device), n)
            for i, row in zip(rows, values.cpu().numpy(), strict=True):
                found[i] = self.scales.target.undo(row)
        return [Forecast(window, row) for window, row in zip(windows, found, strict=True)]

    @torch.inference_mode()
    def look(self, forecast: Forecast) -> dict[str, Vectors]:
        """Return, for every attention map, where the model looked: weights `[T, S]`."""
        source = self.scales.source.apply(forecast.window)
        target = self.scales.target.apply(forecast.values)
        batch = collate([source], [target]).to(self.device)
        weights = self.model(batch, look=True).weights[0]  # [T, A, S]
        maps = weights.transpose(0, 1).cpu().numpy().astype(np.float32)
        return dict(zip(self.model.attention_names, maps, strict=True))


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
