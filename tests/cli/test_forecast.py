"""The verbs on a forecaster."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from saccade import run
from saccade.folders.model import load_forecaster
from tests.cli.conftest import Call
from tests.learners.test__forecasting import recipe, table


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sea")
    table(folder)
    run.train(recipe(max_steps=12), folder / "run", root=folder, console=Console(quiet=True))
    return folder


def test_forecast_lines(call: Call, sea: Path) -> None:
    said = call("forecast", sea / "run", "--steps", 3, stdin=b"20,1 22,2 24,0\n21,0\n")
    assert (said.code, len(said.out.splitlines())) == (0, 2)
    wanted = load_forecaster(sea / "run").forecast("20,1 22,2 24,0", steps=3).text
    assert said.out.splitlines()[0] == wanted
    assert call("forecast", sea / "run", stdin=b"20,x\n").code == 1


def test_evaluate_inspect_and_report(
    call: Call, sea: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sea)
    said = call("evaluate", "run", "--json", "s.json", "-o", "out.txt")
    assert said.code == 0
    for word in (
        "run on test: 27 windows",
        "MAE",
        "RMSE",
        "last value",
        "last season",
        " %",
        " – ",
    ):
        assert word in said.out
    assert json.loads((sea / "s.json").read_text())["windows"] == 27
    assert len((sea / "out.txt").read_text().splitlines()) == 27
    drawn = call("inspect", "run", "example:2")
    assert "what came" in drawn.out
    asked = call("inspect", "run", "test:2")
    assert asked.code == 2
    assert "test:2: inspect does not read the data that a recipe names; expected example:N" in (
        asked.err
    )
    beyond = call("inspect", "run", "example:99")  # the sea is the same every six steps
    assert "example:99: no such example; run carries 6 in examples.json" in beyond.err
    assert "forecast" in call("inspect", "run", "20,1 21,2").out
    assert call("inspect", "run", "example:2", "-o", "f.svg").code == 0
    assert "<svg" in (sea / "f.svg").read_text()
    assert "report.html" in call("report", "run").out


def test_no_other_engine_forecasts(call: Call, sea: Path) -> None:
    said = call("evaluate", sea / "run", "--engine", "ctranslate2")
    assert said.code == 2
    assert "forecasts numbers, which torch alone does" in said.err


def test_dry_run(call: Call, sea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sea)
    said = call("train", "run/recipe.yaml", "--dry-run", "-o", "new")
    assert said.code == 0
    assert "2 read, 1 forecast" in said.out
    assert not (sea / "new").exists()


def test_verbs_of_text_say_what_to_use(call: Call, sea: Path) -> None:
    said = call("translate", sea / "run", stdin=b"1\n")
    assert said.code == 1
    assert "Use `saccade forecast`, `evaluate`, `inspect` or `report`." in said.err
