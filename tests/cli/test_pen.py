"""The verbs on a model that writes with a pen."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from saccade import recipe as recipes
from saccade import run
from saccade.corpora.handwriting import written_by
from saccade.modalities._strokes import from_text
from tests.cli.conftest import Call
from tests.learners.sea import QUIET

WORDS = ("ab", "cab", "abba", "cc", "bac", "a")
RECIPE = {
    "name": "pen",
    "data": {
        **{split: {"kind": "ink", "path": "ink.jsonl"} for split in ("train", "valid", "test")},
        "source": {"kind": "text", "tokenizer": "character"},
        "target": {"kind": "strokes"},
    },
    "model": {
        "kind": "encoder_decoder",
        "embedding": 8,
        "tie": "none",
        "encoder": "none",
        "decoder": {"kind": "window", "hidden": 8, "attention": {"kind": "gaussian_mixture"}},
        "head": {"kind": "mixture_density", "components": 2},
    },
    "training": {"objective": "likelihood", "max_steps": 3, "threads": 1},
    "decoding": {"metrics": []},
}


@pytest.fixture(scope="module")
def pen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pen")
    rows = [
        json.dumps({"text": word, "strokes": [s.tolist() for s in written_by(word, 1)]})
        for word in WORDS
    ]
    (folder / "ink.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "pen.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
    recipe = recipes.load(folder / "pen.yaml")
    run.train(recipe, folder / "run", root=folder, console=QUIET)
    return folder


def test_a_text_is_drawn_as_svg(call: Call, pen: Path) -> None:
    said = call("predict", pen / "run", "ab", "c")
    assert said.code == 0, said.err
    first, second = said.out.splitlines()
    assert ElementTree.fromstring(first).tag.endswith("svg")
    assert len(from_text(second)) > 1
    assert call("predict", pen / "run", stdin=b"ab\nc\n").out == said.out


def test_draws_depend_on_the_seed_and_the_bias(call: Call, pen: Path) -> None:
    asked = [(), ("--seed", 2), ("--bias", 2)]
    drawn = [call("predict", pen / "run", "ab", "--sample", *more).out for more in asked]
    assert len(set(drawn)) == 3
    assert call("predict", pen / "run", "ab", "--sample", "--seed", 2).out == drawn[1]
    odd = call("predict", pen / "run", "ab", "--sample", "--temperature", 2)
    assert (odd.code, "sample: found temperature; expected bias" in odd.err) == (2, True)
    odd = call("predict", pen / "run", "ab", "--beam", 2)
    assert (odd.code, "--beam: for models that choose among symbols" in odd.err) == (2, True)


def test_evaluate_and_inspect(call: Call, pen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pen)
    said = call("evaluate", "run", "--json", "scores.json")
    assert said.code == 0, said.err
    assert "nats a point" in said.out
    figures = json.loads((pen / "scores.json").read_text(encoding="utf-8"))["metrics"]
    assert figures["nats_per_point"]["detail"]["points"] > 100
    said = call("inspect", "run", "cab", "-o", "window.svg")
    assert said.code == 0, said.err
    drawn = (pen / "window.svg").read_text(encoding="utf-8")
    assert "window on the letters" in drawn
    said = call("inspect", "run", "cab", "--view", "writing", "-o", "writing.svg")
    assert said.code == 0, said.err
    assert "<animate " in (pen / "writing.svg").read_text(encoding="utf-8")
    told = call("inspect", "run", "example:1", "-o", "example.svg")
    assert told.code == 0, told.err
    assert "in the data" in (pen / "example.svg").read_text(encoding="utf-8")
