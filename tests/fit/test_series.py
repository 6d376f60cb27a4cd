"""Tables of numbers: told from pairs, their seasons found, and sized by rules."""

import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from saccade import recipe as recipes
from saccade.errors import DataError, RecipeError
from saccade.fit.files import ColumnNames
from saccade.fit.fitting import fit
from saccade.fit.outline import outline
from saccade.fit.series import find_season, looks_like_series, survey_series
from tests.fit.small import shrunk


def _wave(n: int = 240, season: int = 12, slope: float = 0.0) -> list[float]:
    noise = np.random.default_rng(1).normal(0, 0.1, n)
    waves = [math.sin(2 * math.pi * t / season) + slope * t for t in range(n)]
    return [round(float(x), 4) for x in waves + noise]


def _write(folder: Path, rows: list[str], name: str = "a.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("rows", "series"),
    [
        ([f"{x}" for x in _wave()], True),
        (["warmth", *(f"{x}" for x in _wave())], True),
        (["month,warmth", *(f"{1950 + t // 12}-{t % 12 + 1:02},{t % 7}" for t in range(90))], True),
        (["t\tx\ty", *(f"{t}\t{t % 5}\t{t % 7}" for t in range(90))], True),
        ([f"{t * 37 % 1000},{str(t * 37 % 1000)[::-1]}" for t in range(1, 90)], False),
        (["text,label", *(f"{t},{t % 2}" for t in range(90))], False),
        ([f"{t},word" for t in range(90)], False),
        ([f"{x}" for x in _wave(30)], False),
    ],
)
def test_a_series_is_told_from_pairs(tmp_path: Path, rows: list[str], series: bool) -> None:
    assert looks_like_series(_write(tmp_path, rows)) == series


@pytest.mark.parametrize("season", [4, 7, 12, 24])
def test_seasons_are_found(season: int) -> None:
    assert find_season(np.array(_wave(300, season, slope=0.05))) == season


def test_noise_and_lines_have_no_season() -> None:
    assert find_season(np.random.default_rng(2).normal(size=300)) == 0
    assert find_season(np.arange(300.0)) == 0
    assert find_season(np.ones(300)) == 0


def test_time_is_not_forecast_and_a_trend_is_told(tmp_path: Path) -> None:
    rows = ["year,a,b", *(f"{1700 + t},{x},{t % 3}" for t, x in enumerate(_wave(slope=0.1)))]
    path = _write(tmp_path, rows)
    found = survey_series(path)
    assert (found.time, found.columns, found.season, found.trend) == ("year", ("a", "b"), 12, True)
    assert survey_series(path, "b").columns == ("b",)
    with pytest.raises(DataError, match=r"no column 'c' to forecast; it has a, b"):
        survey_series(path, "c")


def test_cells_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    path = _write(tmp_path, ["a", *["1.5"] * 80, "none"])
    with pytest.raises(DataError, match=r"row 81, column a: 'none' is no number"):
        outline([path], task="forecasting")


def test_recipes_are_whole_and_split_by_time(tmp_path: Path) -> None:
    made = outline([_write(tmp_path, ["x", *(str(x) for x in _wave())])])
    assert made.job.name == "forecasting"
    assert "a season of 12 rows was found; 36 rows are read, the next 12 forecast" in made.told()[1]
    assert min(made.counts.values()) > 0
    for candidate in made.candidates:
        recipe = recipes.from_plain(candidate.recipe, "fit")
        assert recipe.decoding.season == 12
        data = candidate.recipe["data"]
        assert data["train"][0]["last"] == data["valid"]["first"]
        assert data["valid"]["last"] == data["test"]["first"]


def test_a_series_has_no_files_beside_it(tmp_path: Path) -> None:
    path = _write(tmp_path, [str(x) for x in _wave()])
    with pytest.raises(RecipeError, match=r"is split by time. Leave out other files, --valid"):
        outline([path], valid=[path])
    with pytest.raises(RecipeError, match=r"--target names the column to forecast"):
        outline([path], columns=ColumnNames(source="1"), task="forecasting")
    with pytest.raises(DataError, match=r"3 rows; expected 60 or more in order of time"):
        outline([_write(tmp_path, ["1", "2", "4"])], task="series")
    with pytest.raises(DataError, match=r"gone.csv: no such file; expected numbers in order of"):
        outline([tmp_path / "gone.csv"], task="forecasting")


def test_a_forecaster_comes_out_beside_answers_that_need_none(tmp_path: Path) -> None:
    made = outline([_write(tmp_path, ["x", *(str(x) for x in _wave())])])
    found = fit(shrunk(made, 24), tmp_path / "m", within=60.0, console=Console(quiet=True))
    assert set(found.evaluation.baselines) == {"last value", "last season"}
    assert found.evaluation.figures["mae"].score.value > 0
    assert found.evaluation.constant is not None
