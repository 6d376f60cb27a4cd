"""Model folders that commit 7e25d0a wrote, in format 1: they do today what they did then.

`format_1/expected.json` holds what it found; outputs of text are of beam 3 and n-best 2.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import run
from saccade.errors import CheckpointError
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.folders.legacy import renamed
from tests.train import small

HERE = Path(__file__).parent / "format_1"
EXPECTED: dict[str, list[dict[str, Any]]] = json.loads(
    (HERE / "expected.json").read_text(encoding="utf-8")
)
FORECASTERS = ("forecaster", "dense")
TEXTS = [name for name in EXPECTED if name not in FORECASTERS]


def rows(name: str) -> list[dict[str, Any]]:
    return [row for row in EXPECTED[name] if "pair" not in row]


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_written_and_looked_at_as_before(name: str) -> None:
    model = saccade.load(HERE / name)
    for row in rows(name):
        found = model.predict(row["source"], beam=3, nbest=2)
        assert [one.text for one in found.nbest] == [text for text, _ in row["outputs"]]
        scores = [score for _, score in row["outputs"]]
        assert [one.score for one in found.nbest] == pytest.approx(scores, abs=1e-3)
        assert found.token_scores == pytest.approx(row["token_scores"], abs=1e-3)
        if row["attention"] is None:
            assert found.attention is None
        else:
            assert found.attention is not None
            np.testing.assert_allclose(found.attention, row["attention"], atol=2e-3)


@pytest.mark.parametrize("name", [n for n in TEXTS if any("pair" in row for row in EXPECTED[n])])
def test_pairs_are_scored_as_before(name: str) -> None:
    (row,) = [row for row in EXPECTED[name] if "pair" in row]
    source, target = row["pair"]
    (found,) = saccade.load(HERE / name).score([source], [target])
    assert found.score == pytest.approx(row["score"], abs=2e-3)


@pytest.mark.parametrize("name", FORECASTERS)
def test_numbers_are_forecast_as_before(name: str) -> None:
    model = saccade.load(HERE / name)
    for row in rows(name):
        found = model.predict(row["source"])
        expected = [float(number) for number in row["output"].split()]
        np.testing.assert_allclose(found.values.ravel(), expected, atol=1e-4)
        assert list(found.attention_maps) == list(row["attention"])
        for title, weights in row["attention"].items():
            np.testing.assert_allclose(found.attention_maps[title], weights, atol=2e-3)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_run_starts_from_it(name: str, tmp_path: Path) -> None:
    old, new = HERE / name, tmp_path / "new"
    recipe = run.read_recipe(old / "recipe.yaml", ["training.max_epochs=0", "training.max_steps=1"])
    run.train(recipe, new, start_from=old, console=small.quiet())
    assert "Started from" in (new / "train.log").read_text(encoding="utf-8")
    assert json.loads((new / "saccade.json").read_text())["format"] == 2
    assert not (new / "scales.json").exists()
    codecs = [read_identity(folder).codecs for folder in (old, new)]
    assert codecs[0].shape == codecs[1].shape
    assert folders.read_weights(new)[0].keys() == folders.read_weights(old)[0].keys()
    first = rows(name)[0]["source"]
    assert saccade.load(new).predict(first).text is not None


def test_scales_of_another_model_are_refused(tmp_path: Path) -> None:
    shutil.copytree(HERE / "forecaster", tmp_path / "r")
    path = tmp_path / "r" / "scales.json"
    path.write_text(path.read_text().replace('"horizon": 3', '"horizon": 5'))
    with pytest.raises(CheckpointError, match=r"scales\.json: .* not belong to the model"):
        folders.load(tmp_path / "r")


def test_names_are_found_behind_what_stands_before_them() -> None:
    old = ["encoder.cells.0.U", "adam.exp_avg.bias", "raw.source_embedding.weight", "decoder.x"]
    assert list(renamed(dict.fromkeys(old), "encoder_decoder")) == [
        "reading.encoders.source.cells.0.U",
        "adam.exp_avg.head.bias",
        "raw.reading.embedders.source.weight",
        "decoder.x",
    ]
    assert list(renamed(dict.fromkeys(["output.weight"]), "tagger")) == ["head.output.weight"]
