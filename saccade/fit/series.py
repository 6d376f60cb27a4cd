"""A table of numbers in order of time: what it is like, and the recipes that forecast it.

    season    = the lag of the highest peak of the autocorrelation, if that is 0.3 or more
    horizon   = a season, or 12 rows
    window    = three seasons, or 48 rows; both less if rows are few
    split     = by time: 65 % to learn from, 15 % to choose by, 20 % to measure
    updates   = 600 (windows / 400)^0.5, from 400 to 4,000, in batches of 64 windows

These are the sizes of recipes/forecasting; their figures are in docs/results/forecasting.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.fit.candidates import Candidate, Plain, with_updates
from saccade.fit.rules import RunSizes
from saccade.modalities._numbers import Numbers, number
from saccade.readers._lines import numbered, numbered_rows
from saccade.readers._names import find_pair
from saccade.readers.series import Series

_LOOKED = 200  # first rows, by which a table of numbers is told
_FEWEST = 60  # rows
_MOST_ROWS = 2_000_000
_LARGEST = 1e100  # number; squares of larger ones overflow
_PEAK = 0.3  # autocorrelation of a season
_LONGEST_SEASON = 60  # rows, up to which a whole season is forecast
_TREND = 0.5  # share of the variance that a line explains, from which changes are forecast
EDGES = (0.0, 0.65, 0.8, 1.0)  # of the parts, as shares of the rows


@dataclass(frozen=True, slots=True)
class SeriesSurvey:
    """What a table is like.

    columns: what is forecast.  time: the column that only counts time, if there is one.
    season: in rows; 0 if there is none.  trend: whether a line explains most of the first column.
    """

    path: Path
    rows: int
    columns: tuple[str, ...]
    time: str
    season: int
    trend: bool

    @property
    def horizon(self) -> int:
        """How many rows to forecast."""
        wanted = self.season if 2 <= self.season <= _LONGEST_SEASON else 12
        return max(1, min(wanted, int(0.1 * self.rows)))

    @property
    def window(self) -> int:
        """How many rows to look back."""
        short = 2 <= self.season <= _LONGEST_SEASON
        wanted = 3 * self.season if short else max(48, min(self.season, 200))
        return max(2, min(wanted, int(0.3 * self.rows)))

    @property
    def reader(self) -> Plain:
        """The reader of all of it."""
        return {
            "kind": "series",
            "path": str(self.path),
            "columns": list(self.columns),
            "window": self.window,
            "horizon": self.horizon,
        }

    def part(self, name: str) -> Plain:
        """Return the reader of train, valid or test."""
        i = ("train", "valid", "test").index(name)
        found = {**self.reader, "first": EDGES[i], "last": EDGES[i + 1]}
        return {**found, "reach_back": True} if i else found

    def told(self) -> str:
        """Say what it is."""
        season = f"a season of {self.season} rows" if self.season else "no season"
        moving = " and a trend" if self.trend else ""
        beside = f"; column {self.time} counts time" if self.time else ""
        return f"{', '.join(self.columns)}: {season}{moving} was found{beside}"


def looks_like_series(path: Path) -> bool:
    """Tell whether a file is a table of numbers in order of time.

    Its rows are numbers behind a column that counts time, or one number each; pairs of numbers are
    no series, and neither is what has names of sources and targets.
    """
    names, rows = _table(path, _LOOKED)
    if len(rows) < min(_FEWEST, _LOOKED) or find_pair(names) is not None:
        return False
    width = len(names)
    if any(len(row) != width for row in rows):
        return False
    times = width > 1 and _counts_time([row[0] for row in rows])
    values = [cell for row in rows for cell in row[int(times) :]]
    return (times or width == 1) and all(_is_number(cell) for cell in values)


def survey_series(path: Path, target: str = "") -> SeriesSurvey:
    """Read a table of numbers and look for its season.

    Args:
        path: the file, as the reader `series` reads it.
        target: the only column to forecast; all but time if not given.
    """
    names, rows = _table(path, _MOST_ROWS)
    if len(rows) < _FEWEST:
        raise DataError(
            f"{path}: {len(rows)} rows; expected {_FEWEST} or more in order of time to learn a"
            " forecast from and to hold some out. Add rows."
        )
    time = names[0] if len(names) > 1 and _counts_time([row[0] for row in rows]) else ""
    known = [name for name in names if name != time]
    if target and target not in known:
        raise DataError(
            f"{path}: no column '{target}' to forecast; it has {', '.join(known)}. Change --target."
        )
    columns = (target,) if target else tuple(known)
    at = names.index(columns[0])
    values = np.array(
        [
            number(row[at] if at < len(row) else "", f"{path}, row {n}, column {columns[0]}")
            for n, row in enumerate(rows, start=1)
        ]
    )
    return SeriesSurvey(path, len(rows), columns, time, find_season(values), _has_trend(values))


def find_season(values: Numbers) -> int:
    """Return after how many places a series repeats, or 0.

    The lag of the highest peak of the autocorrelation of what a line does not explain.

    >>> find_season(np.sin(np.arange(240) * 2 * np.pi / 12))
    12
    """
    left = values - _line(values)
    n = len(left)
    power = np.abs(np.fft.rfft(left, 2 * n)) ** 2
    lags = np.fft.irfft(power)[: n // 3 + 1]
    if lags[0] <= 1e-12 * n:
        return 0
    lags = lags / lags[0] * n / (n - np.arange(len(lags)))
    peaks = [
        k
        for k in range(2, len(lags) - 1)
        if lags[k] >= _PEAK and lags[k] > lags[k - 1] and lags[k] >= lags[k + 1]
    ]
    if not peaks:
        return 0
    best = max(lags[k] for k in peaks)
    return next(k for k in peaks if lags[k] >= 0.9 * best)  # twice a season is as like, or more


def series_sizes(found: SeriesSurvey, windows: int) -> RunSizes:
    """Apply the rules to so many windows to learn from."""
    n = max(windows, 1)
    updates = int(min(4000.0, max(400.0, 600 * (n / 400) ** 0.5)))
    rows = 64 if n >= 200 else 32
    lengths = {"source": found.window, "target": found.horizon}
    width = 24 if n < 1000 else 48
    return RunSizes(n, 0, lengths, rows * (found.window + 1), updates, width, 1, 0.1, 1.0)


def series_candidates(found: SeriesSurvey, sizes: RunSizes, seed: int) -> list[Candidate]:
    """List the recipes that suit a table, the most promising first."""
    width = sizes.width
    encoder = {"kind": "rnn", "cell": "gru", "hidden": width, "dropout": 0.0}
    common: Plain = {"embedding": 16 if width < 48 else 32, "dropout": sizes.dropout}
    dense = {
        "kind": "dense_forecaster",
        "horizon": found.horizon,
        "hidden": 4 * width // 3,
        "relative": found.trend,
        **common,
        "encoder": encoder,
    }
    decoder = {
        "kind": "rnn",
        "cell": "gru",
        "hidden": 4 * width // 3,
        "dropout": sizes.dropout,
        "attention": {"kind": "additive", "hidden": 16},
    }
    stepwise = {
        "kind": "encoder_decoder",
        "head": {"kind": "values", "relative": found.trend},
        **common,
        "encoder": encoder,
        "decoder": decoder,
    }
    free: Plain = {"kind": "squared_error", "free_running": True}
    return [
        Candidate(
            "dense",
            _recipe("dense", found, sizes, seed, dense, {"kind": "squared_error"}),
            "a GRU reads the window, and dense layers write all places at once",
        ),
        Candidate(
            "stepwise",
            _recipe("stepwise", found, sizes, seed, stepwise, free),
            "a GRU writes place after place, with attention to the window",
        ),
    ]


def count_windows(found: SeriesSurvey) -> dict[str, int]:
    """Count the windows of each part."""
    counts = {}
    for name in ("train", "valid", "test"):
        options: dict[str, Any] = {k: v for k, v in found.part(name).items() if k != "kind"}
        counts[name] = sum(1 for _ in Series(Path(), **options).read())
    return counts


def _recipe(
    name: str, found: SeriesSurvey, sizes: RunSizes, seed: int, model: Plain, objective: Plain
) -> Plain:
    recipe: Plain = {
        "name": name,
        "seed": seed,
        "data": {
            "train": [found.part("train")],
            "valid": found.part("valid"),
            "test": found.part("test"),
            "source": {"kind": "numbers"},
            "target": {"kind": "numbers"},
        },
        "model": model,
        "training": {
            "objective": objective,
            "learning_rate": 0.004,
            "weight_decay": 0.01,
            "schedule": {"kind": "cosine", "warmup": sizes.warmup},
            "batch_tokens": sizes.batch_tokens,
        },
        "decoding": {
            "season": found.season if found.season <= found.window else 0,
            "metrics": ["mae", "rmse"],
        },
    }
    return with_updates(recipe, sizes.updates)


def _table(path: Path, most: int) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns, or their numbers from 1, and the first rows."""
    first = next((line for _, line in numbered(path) if line.strip()), "")
    delimiter = "\t" if "\t" in first else ","
    cells = (row for _, row in numbered_rows(path, delimiter) if any(map(str.strip, row)))
    rows = [[cell.strip() for cell in row] for row in islice(cells, most + 1)]
    if not rows:
        return [], []
    if all(_is_number(cell) for cell in rows[0]):
        return [str(i + 1) for i in range(len(rows[0]))], rows[:most]
    return rows[0], rows[1:]


def _is_number(cell: str) -> bool:
    try:
        return abs(float(cell)) <= _LARGEST  # false for nan, too
    except ValueError:
        return False


def _counts_time(cells: Sequence[str]) -> bool:
    """Tell whether cells are dates, or numbers that grow by the same step."""
    if not all(_is_number(cell) for cell in cells):
        return all(cell[:1].isdigit() or cell[-1:].isdigit() for cell in cells)
    steps = np.diff(np.array([float(cell) for cell in cells]))
    return bool(len(steps) and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-3))


def _line(values: Numbers) -> Numbers:
    places = np.arange(len(values), dtype=np.float64)
    slope, start = np.polyfit(places, values, 1)
    return np.asarray(slope * places + start)


def _has_trend(values: Numbers) -> bool:
    whole = float(np.var(values))
    return whole > 0 and float(np.var(_line(values))) / whole >= _TREND
