"""What a training works at, for numbers as for text: learned, resumed, measured, drawn."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.modalities.numbers import NumbersCodec
from saccade.train import weights
from tests.learners import sea as seas
from tests.learners.sea import KINDS, QUIET, plain, recipe, table
from tests.train import small


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and a forecaster of it."""
    folder = tmp_path_factory.mktemp("sea")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        seas.trained(folder, max_steps=160)
    return folder


def test_learns_and_beats_what_needs_no_model(sea: Path) -> None:
    found = run.evaluate(sea / "run", root=sea)
    assert len(found.examples) == 30 - 4 + 1
    assert found.likelihood is None
    assert set(found.baselines) == {"last value", "last season"}
    assert (found.skill("mae", "last value") or 0) > 0.5
    assert found.baselines["last season"]["mae"].score.value == 0
    assert found.skill("mae", "last season") is None
    said = json.loads(json.dumps(found.plain()))
    assert said["examples"] == 27
    assert said["skill"]["last value"]["rmse"] == found.skill("rmse", "last value")
    assert "perplexity" not in said


def test_the_folder_holds_all(sea: Path) -> None:
    names = {path.name for path in (sea / "run").iterdir()}
    assert {"source.json", "target.json", "recipe.yaml", "model.safetensors"} <= names
    assert {"report.html", "README.md", "examples.json"} <= names
    assert not {"scales.json", "profile.json"} & names
    codecs = read_identity(sea / "run").codecs
    source, target = codecs.source, codecs.target
    assert isinstance(source, NumbersCodec)
    rows = [float(row.split(",")[0]) for row in (sea / "t.csv").read_text().split()[1:91]]
    assert source.scale.mean[0] == pytest.approx(sum(rows) / 90, abs=0.5)  # of training rows alone
    assert (source.side.size, target.side.size, target.horizon) == (2, 1, 4)
    assert "what came" in (sea / "run" / "report.html").read_text()
    (sea / "run" / "report.html").unlink()
    assert run.report(sea / "run", root=sea).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_run_is_the_run_that_did_not_stop(tmp_path: Path, kind: str) -> None:
    table(tmp_path)
    for name, steps in (("whole", 24), ("part", 12)):
        run.train(recipe(kind, max_steps=steps), tmp_path / name, root=tmp_path, console=QUIET)
    run.train(recipe(kind), tmp_path / "part", resume=True, root=tmp_path, console=QUIET)
    one, other = (weights.load(tmp_path / n / "model.safetensors") for n in ("whole", "part"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(text.replace("20.0000", "21.0000"))
    longer = recipe(kind, max_steps=30)
    with pytest.raises(DataError, match="--resume: the data has changed since this run was begun"):
        run.train(longer, tmp_path / "part", resume=True, root=tmp_path, console=QUIET)


def test_starts_from_another(sea: Path, tmp_path: Path) -> None:
    one = recipe(max_steps=1)
    run.train(one, tmp_path / "r", start_from=sea / "run", root=sea, console=QUIET)
    assert "Started from" in (tmp_path / "r" / "train.log").read_text()
    for name in ("source.json", "target.json"):
        assert (tmp_path / "r" / name).read_bytes() == (sea / "run" / name).read_bytes()


def test_a_scale_of_another_model_is_refused(sea: Path, tmp_path: Path) -> None:
    run.train(recipe(max_steps=1), tmp_path / "r", root=sea, console=QUIET)
    path = tmp_path / "r" / "target.json"
    small.unseal(tmp_path / "r")
    path.write_text(path.read_text().replace('"horizon": 4', '"horizon": 5'))
    with pytest.raises(CheckpointError, match=r"target\.json: .* does not belong to the model"):
        folders.load(tmp_path / "r")
    path.write_text("{}")
    with pytest.raises(CheckpointError, match=r"target\.json: cannot be read as the scale of num"):
        folders.load(tmp_path / "r")


def test_symbols_and_numbers_do_not_mix() -> None:
    raw = plain()
    raw["training"] |= {"objective": "cross_entropy", "metrics": ["wer"]}
    raw["decoding"] = {"season": -1}
    with pytest.raises(RecipeError) as caught:
        recipes.from_plain(raw, "r.yaml")
    assert caught.value.problems == [
        "r.yaml: training.objective: cross_entropy does not fit a target of kind numbers, which has"
        " values; use squared_error.",
        "r.yaml: training.metrics: wer cannot measure a target of kind numbers; use mae, rmse.",
        "r.yaml: decoding.metrics: bleu, chrf cannot measure a target of kind numbers; use mae,"
        " rmse.",
        "r.yaml: decoding.season: -1 is below 0; 0 is no season.",
    ]


def _old(kind: str) -> dict[str, Any]:
    """Write the recipe as it was when forecasters had a model of their own."""
    raw = plain("dense_forecaster" if kind == "dense_forecaster" else "encoder_decoder")
    raw["data"] = {k: v for k, v in raw["data"].items() if k not in ("source", "target")}
    if kind == "forecaster":
        raw["model"] = {k: v for k, v in raw["model"].items() if k != "head"}
        raw["model"] |= {"kind": kind, "relative": True}
    return raw


@pytest.mark.parametrize(
    ("old", "new"),
    [("forecaster", "encoder_decoder"), ("dense_forecaster", "dense_forecaster")],
)
def test_old_recipes_are_read_and_say_so(old: str, new: str) -> None:
    found = recipes.from_plain(_old(old), "sea.yaml")
    assert found.plain() == recipe(new).plain()
    assert found == recipe(new)
    sides = f"sea.yaml: model {old}: data.source and data.target are now of kind numbers."
    head = "sea.yaml: model forecaster is now encoder_decoder with head: values."
    assert found.notes == ((sides, head) if old == "forecaster" else (sides,))
    assert recipe(new).notes == ()
