"""The verbs on a forecaster."""

import json
from pathlib import Path

import pytest
import yaml

from saccade.folders.model import load
from tests.cli.conftest import Call
from tests.learners import sea as seas

REFUSED = {
    "ctranslate2": "data is numbers, which ctranslate2 has no counterpart of; expected one source",
    "onnx": "export onnx: data: a side is not text, and graphs are written of models of text alone",
}


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sea")
    seas.trained(folder, max_steps=12)
    return folder


def test_forecast_lines(call: Call, sea: Path) -> None:
    said = call("forecast", sea / "run", "--steps", 3, stdin=b"20,1 22,2 24,0\n21,0\n")
    assert (said.code, len(said.out.splitlines())) == (0, 2)
    wanted = load(sea / "run").predict("20,1 22,2 24,0", steps=3).text
    assert said.out.splitlines()[0] == wanted
    assert call("forecast", sea / "run", stdin=b"20,x\n").code == 1


def test_predict_goes_as_far_as_in_training(call: Call, sea: Path) -> None:
    said = call("predict", sea / "run", stdin=b"20,1 22,2 24,0\n21,0\n")
    assert said.code == 0, said.err
    assert [len(line.split()) for line in said.out.splitlines()] == [4, 4]
    told = call("predict", sea / "run", "--format", "jsonl", stdin=b"21,0\n")
    found = json.loads(told.out)
    assert (found["source"], found["text"]) == ("21,0", said.out.splitlines()[1])
    assert found["tokens"] == found["text"].split()
    assert call("translate", sea / "run", stdin=b"21,0\n").out == said.out.splitlines()[1] + "\n"


def test_evaluate_inspect_and_report(
    call: Call, sea: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sea)
    said = call("evaluate", "run", "--json", "s.json", "-o", "out.txt")
    assert said.code == 0, said.err
    for word in (
        "run on test: 27 examples",
        "MAE",
        "RMSE",
        "last value",
        "last season",
        " %",
        " – ",
    ):
        assert word in said.out
    found = json.loads((sea / "s.json").read_text())
    assert found["examples"] == 27
    assert set(found["skill"]) == set(found["baselines"]) == {"last value", "last season"}
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
    heads = call("inspect", "run", "20,1 21,2", "--view", "heads")
    assert heads.code == 0, heads.err
    assert "report.html" in call("report", "run").out


@pytest.mark.parametrize("engine", ["ctranslate2", "onnx"])
def test_no_other_engine_forecasts(call: Call, sea: Path, engine: str) -> None:
    for said in (
        call("evaluate", sea / "run", "--engine", engine),
        call("predict", sea / "run", "--engine", engine, stdin=b"21,0\n"),
        call("export", sea / "run", "--to", engine, "-o", "out"),
    ):
        assert said.code == 2
        (line,) = [line for line in said.err.splitlines() if line.startswith("saccade: ")]
        assert REFUSED[engine] in line
        assert said.err.endswith(f"{line}\n")


def test_dry_run(call: Call, sea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sea)
    said = call("train", "run/recipe.yaml", "--dry-run", "-o", "new")
    assert said.code == 0, said.err
    assert "source 2 columns, up to 8 places; target 1 columns, up to 4 places" in said.out
    assert not (sea / "new").exists()


def test_verbs_of_text_say_what_to_use(call: Call, sea: Path, work: Path) -> None:
    said = call("forecast", work / "model", stdin=b"1\n")
    assert said.code == 2
    assert "writes text; expected a model that forecasts numbers. Use `saccade predict`" in said.err
    (sea / "x").write_text("1,1\n")
    said = call("score", sea / "run", sea / "x", sea / "x")
    assert said.code == 2
    assert "score: this model writes values, which have no probability; expected a" in said.err


def test_old_recipes_are_read_with_a_note(call: Call, sea: Path, tmp_path: Path) -> None:
    raw = seas.plain("dense_forecaster")
    raw["data"] = {k: v for k, v in raw["data"].items() if k not in ("source", "target")}
    for split in ("train", "valid", "test"):
        raw["data"][split] |= {"path": str(sea / "t.csv")}
    (tmp_path / "old.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    note = "old.yaml: model dense_forecaster: data.source and data.target are now of kind numbers."
    checked = call("recipe", "check", "old.yaml")
    assert (checked.code, checked.out) == (0, "old.yaml: good\n")
    assert note in checked.err.replace("\n", " ")
    assert note in call("train", "old.yaml", "--dry-run").err.replace("\n", " ")


def test_options_of_search_are_refused(call: Call, sea: Path) -> None:
    options = ("--beam", 3, "--nbest", 2, "--prefix", "x", "--scores", "--length-penalty", 1.0)
    said = call("predict", sea / "run", *options, "--alignments", stdin=b"21,0\n")
    assert said.code == 2
    assert (
        "--beam, --nbest, --length-penalty, --prefix, --scores, --alignments: for models that"
        f" choose among symbols, but {sea / 'run'} writes values; nothing is searched or scored."
        in said.err
    )
    drawn = call("predict", sea / "run", "--sample", stdin=b"21,0\n")
    assert "--sample: for models that choose among symbols" in drawn.err


def test_a_beam_is_refused_when_it_is_measured(
    call: Call, sea: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sea)
    said = call("evaluate", "run", "--beam", 3)
    assert (said.code, said.out) == (2, "")
    assert "evaluate: beam: for models that choose among symbols, but this one writes" in said.err


def test_metrics_of_text_are_refused(call: Call, sea: Path) -> None:
    said = call("evaluate", sea / "run", "--metric", "bleu")
    assert said.code == 2
    assert "evaluate: bleu cannot measure a target of kind numbers; use mae, rmse." in said.err
