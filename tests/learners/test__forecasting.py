"""Forecasters from table to figure: trained, resumed, measured, drawn."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from saccade import api, run
from saccade import recipe as recipes
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.experiments import comparison
from saccade.folders import model as folders
from saccade.folders.examples import example_of
from saccade.learners import _forecasting as forecasting
from saccade.recipe import Recipe
from saccade.train import weights

QUIET = Console(quiet=True)
RNN = {"kind": "rnn", "hidden": 8, "dropout": 0.0}


def table(folder: Path) -> None:
    rows = [f"{20 + 5 * math.sin(t * math.tau / 6):.4f},{t % 3}" for t in range(150)]
    (folder / "t.csv").write_text("sea,tide\n" + "\n".join(rows) + "\n", encoding="utf-8")


def plain(kind: str = "forecaster", **training: Any) -> dict[str, Any]:
    series: dict[str, Any] = {
        "kind": "series",
        "path": "t.csv",
        "columns": ["sea"],
        "beside": ["tide"],
    }
    series |= {"window": 8, "horizon": 4}
    model: dict[str, Any] = {"kind": kind, "embedding": 6, "encoder": RNN}
    model |= {"decoder": RNN, "dropout": 0.1} if kind == "forecaster" else {"horizon": 4}
    return {
        "name": "sea",
        "data": {
            "train": {**series, "last": 0.6},
            "valid": {**series, "first": 0.6, "last": 0.8},
            "test": {**series, "first": 0.8, "reach_back": True},
        },
        "model": model,
        "training": {
            "objective": {"kind": "squared_error", "free_running": True},
            "batch_tokens": 144,
            "learning_rate": 0.02,
            "schedule": "constant",
            "max_steps": 24,
            "metrics": ["mae"],
            "validate_every": 12,
            "report_every": 12,
            **training,
        },
        "decoding": {"season": 6, "metrics": ["mae", "rmse"]},
    }


def recipe(kind: str = "forecaster", **training: Any) -> Recipe:
    return recipes.from_plain(plain(kind, **training))


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and a forecaster of it."""
    folder = tmp_path_factory.mktemp("sea")
    table(folder)
    run.train(recipe(max_steps=160), folder / "run", root=folder, console=QUIET)
    return folder


def test_learns_and_beats_what_needs_no_model(sea: Path) -> None:
    found = forecasting.evaluate(sea / "run", root=sea)
    assert len(found.examples) == 30 - 4 + 1
    assert set(found.baselines) == {"last value", "last season"}
    assert (found.skill("mae", "last value") or 0) > 0.5
    assert found.baselines["last season"]["mae"].score.value == 0
    assert found.skill("mae", "last season") is None
    said = json.loads(json.dumps(found.plain()))
    assert said["windows"] == 27
    assert said["skill"]["last value"]["rmse"] == found.skill("rmse", "last value")


def test_the_folder_holds_all(sea: Path) -> None:
    names = {path.name for path in (sea / "run").iterdir()}
    assert {"scales.json", "recipe.yaml", "model.safetensors", "report.html", "README.md"} <= names
    scales = folders.read_scales(sea / "run")
    rows = [float(row.split(",")[0]) for row in (sea / "t.csv").read_text().split()[1:91]]
    assert scales.source.mean[0] == pytest.approx(sum(rows) / 90, abs=0.5)  # of training rows alone
    assert (len(scales.source), len(scales.target), scales.horizon) == (2, 1, 4)
    report = (sea / "run" / "report.html").read_text()
    assert "what came" in report
    (sea / "run" / "report.html").unlink()
    assert forecasting.rewrite_report(sea / "run", root=sea).exists()


def test_draws_what_was_what_comes_and_what_came(sea: Path) -> None:
    predictor = folders.load_forecaster(sea / "run")
    one = example_of(sea / "run", "2")
    drawing = forecasting.draw(predictor, one.source, one.target)
    assert "what came" in drawing.svg
    assert "what came" not in forecasting.draw(predictor, one.source).svg
    assert drawing.terminal(60).count("│") == 2
    with pytest.raises(DataError, match="column 1 was asked for; expected 0 to 0, as that many"):
        forecasting.draw(predictor, one.source, column=1)
    with pytest.raises(RecipeError, match="no split 'tset'; there are valid, test"):
        forecasting.split_of(sea / "run", "tset", root=sea)


@pytest.mark.parametrize("kind", ["forecaster", "dense_forecaster"])
def test_a_resumed_run_is_the_run_that_did_not_stop(tmp_path: Path, kind: str) -> None:
    table(tmp_path)
    for name, steps in (("whole", 24), ("part", 12)):
        run.train(recipe(kind, max_steps=steps), tmp_path / name, root=tmp_path, console=QUIET)
    run.train(recipe(kind), tmp_path / "part", resume=True, root=tmp_path, console=QUIET)
    one, other = (weights.load(tmp_path / n / "model.safetensors") for n in ("whole", "part"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    table_of = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(table_of.replace("20.0000", "21.0000"))
    with pytest.raises(DataError, match="--resume: the data has changed since this run was begun"):
        run.train(
            recipe(kind, max_steps=30), tmp_path / "part", resume=True, root=tmp_path, console=QUIET
        )


def test_starts_from_another(sea: Path, tmp_path: Path) -> None:
    done = run.train(
        recipe(max_steps=1), tmp_path / "r", start_from=sea / "run", root=sea, console=QUIET
    )
    assert "Started from" in (tmp_path / "r" / "train.log").read_text()
    assert folders.read_scales(tmp_path / "r") == folders.read_scales(sea / "run")
    with pytest.raises(RecipeError, match="model forecaster: writes numbers, so it is no"):
        _ = done.translator


def test_is_no_model_of_text(sea: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="a forecaster, which reads and writes numbers"):
        folders.load(sea / "run")
    with pytest.raises(RecipeError, match=r"saccade.train: model forecaster writes numbers;"):
        api.train(plain(), folder=tmp_path / "r")
    (tmp_path / "sea.yaml").write_text(recipe().to_yaml(), encoding="utf-8")
    with pytest.raises(RecipeError, match="model forecaster writes numbers; expected models of"):
        comparison.variants([tmp_path / "sea.yaml"], ["seed=1,2"])
    raw = {"data": {"train": _pairs(), "valid": _pairs()}, "training": {"max_steps": 1}}
    run.train(recipes.from_plain(raw), tmp_path / "text", console=QUIET)
    with pytest.raises(CheckpointError, match="a encoder_decoder, which reads and writes text"):
        folders.load_forecaster(tmp_path / "text")


def _pairs() -> dict[str, Any]:
    return {"kind": "pairs", "pairs": [["a b", "b a"], ["b c", "c b"]]}


def test_scales_of_another_model_are_refused(sea: Path, tmp_path: Path) -> None:
    run.train(recipe(max_steps=1), tmp_path / "r", root=sea, console=QUIET)
    text = (tmp_path / "r" / "scales.json").read_text()
    (tmp_path / "r" / "scales.json").write_text(text.replace('"horizon": 4', '"horizon": 5'))
    with pytest.raises(CheckpointError, match="these scales do not belong to the model"):
        folders.load_forecaster(tmp_path / "r")


def test_symbols_and_numbers_do_not_mix() -> None:
    raw = plain()
    raw["training"] |= {"objective": "cross_entropy", "metrics": ["wer"]}
    raw["decoding"] = {"season": -1}
    with pytest.raises(RecipeError) as caught:
        recipes.from_plain(raw, "r.yaml")
    assert caught.value.problems == [
        "r.yaml: training.objective: cross_entropy does not fit model forecaster, which writes"
        " numbers; use squared_error.",
        "r.yaml: training.metrics: wer cannot measure model forecaster, which writes numbers; use"
        " mae, rmse.",
        "r.yaml: decoding.metrics: bleu, chrf cannot measure model forecaster, which writes"
        " numbers; use mae, rmse.",
        "r.yaml: decoding.season: -1 is below 0; 0 is no season.",
    ]
