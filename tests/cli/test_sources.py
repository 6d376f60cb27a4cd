"""The verbs and the server on models with several sources: two texts, a text beside a picture."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.corpora.shapes import Shapes
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests.cli.conftest import Call

WORDS = {"tokenizer": "word"}
SMALL = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
CNN = {"kind": "cnn", "width": 16, "stride": 8}
STORIES = [
    {"story": "Ann has a cat", "question": "who", "target": ["Ann", "it is Ann"]},
    {"story": "Ann has a cat", "question": "what", "target": ["a cat"]},
    {"story": "Bob has a dog", "question": "who", "target": ["Bob"]},
]


def scenes() -> list[dict[str, Any]]:
    pictures = islice(Shapes().pairs("train"), 3)
    return [{"story": text, "question": "what is there", "target": [c]} for text, c in pictures]


KINDS: dict[str, dict[str, Any]] = {
    "stories": {"story": WORDS, "encoders": {}, "rows": STORIES},
    "scenes": {"story": {"kind": "image"}, "encoders": {"story": "none"}, "rows": scenes()},
}


@pytest.fixture(scope="module", params=KINDS)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe of two sources, its data, and its finished run; named by its kind."""
    folder, kind = tmp_path_factory.mktemp("asked") / str(request.param), KINDS[request.param]
    folder.mkdir()
    lines = "".join(f"{json.dumps(row)}\n" for row in kind["rows"])
    (folder / "rows.jsonl").write_text(lines, encoding="utf-8")
    names = {"story": "story", "question": "question"}
    reader = {"kind": "jsonl", "path": str(folder / "rows.jsonl"), "sources": names}
    decoder = {**SMALL, "attention": "additive"}
    model = {"kind": "encoder_decoder", "embedding": 16, "encoder": SMALL, "decoder": decoder}
    if kind["encoders"]:
        model |= {"encoders": kind["encoders"], "embedders": {"story": CNN}}
    plain = {
        "name": request.param,
        "data": {
            **dict.fromkeys(("train", "valid", "test"), reader),
            "sources": {"story": kind["story"], "question": WORDS},
            "target": WORDS,
        },
        "model": model,
        "training": {"max_steps": 4, "validate_every": 2, "keep_last": 2},
        "decoding": {"metrics": ["exact_match"], "max_ratio": 0.0},
    }
    recipe = recipes.from_plain(plain)
    (folder / "recipe.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    run.train(recipe, folder / "run", console=Console(quiet=True))
    return folder


def inputs(asked: Path) -> list[dict[str, str]]:
    return [{k: row[k] for k in ("story", "question")} for row in KINDS[asked.name]["rows"]]


def lines(asked: Path) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in inputs(asked)).encode()


def test_an_object_a_line(call: Call, asked: Path, tmp_path: Path) -> None:
    said = call("predict", asked / "run", stdin=lines(asked))
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 3
    table = call("predict", asked / "run", "--format", "jsonl", stdin=lines(asked))
    found = [json.loads(line) for line in table.out.splitlines()]
    assert [one["text"] for one in found] == said.out.splitlines()
    assert found[0]["source"].startswith("story: ")
    (tmp_path / "in").write_bytes(lines(asked))
    (tmp_path / "out").write_text("Ann\nAnn\nBob\n", encoding="utf-8")
    scores = call("score", asked / "run", "in", "out")
    assert scores.code == 0, scores.err
    assert len(scores.out.splitlines()) == 3


def test_a_line_that_is_no_object_is_refused(call: Call, asked: Path) -> None:
    said = call("predict", asked / "run", stdin=lines(asked) + b"Who has a cat?\n")
    assert said.code == 1
    assert (
        "line 4: found 'Who has a cat?'; expected a JSON object with the text of each source of the"
        ' model: {"story": "...", "question": "..."}.' in said.err
    )


def test_all_verbs_work(call: Call, asked: Path, tmp_path: Path) -> None:
    for words in (
        ("evaluate", asked / "run"),
        ("evaluate", asked / "run", "--by-length"),
        ("report", asked / "run"),
        ("doctor", asked / "run"),
        ("doctor", asked / "recipe.yaml"),
        ("average", asked / "run", "-o", "mean", "--last", 2),
        ("predict", tmp_path / "mean"),
        ("compare", asked / "recipe.yaml", "--over", "seed=1,2", "-o", "both"),
    ):
        said = call(*words, stdin=lines(asked))
        assert said.code == 0, (words, said.err)


def test_where_it_looked(call: Call, asked: Path, tmp_path: Path) -> None:
    given = json.dumps(inputs(asked)[0])
    for words in ((given,), ("example:1",), (given, "--words"), (given, "--view", "heads")):
        said = call("inspect", asked / "run", *words, "-o", "one.svg")
        assert said.code == 0, said.err
    assert "<svg" in (tmp_path / "one.svg").read_text(encoding="utf-8")
    said = call("inspect", asked / "run", "who")
    assert "inspect: found 'who'; expected a JSON object with the text of each source" in said.err


def test_what_needs_one_source_is_refused(call: Call, asked: Path) -> None:
    given = json.dumps(inputs(asked)[0])
    refused = {
        ("inspect", "--view", "alignment"): "an alignment is shown of one source, but this model",
        ("inspect", "--view", "cells"): "cell states are shown of one source, but this model reads",
        ("export", "--to", "ctranslate2"): "expected",
        ("export", "--to", "onnx"): "expected",
        (
            "bias",
        ): "bias: this model reads or writes something else than one text; expected a model",
    }
    for (verb, *options), said in refused.items():
        words = [given] if verb == "inspect" else []
        told = call(verb, asked / "run", *words, *options)
        assert told.code == 2, (verb, told.err)
        if asked.name == "stories":
            assert said in told.err
        assert "unexpected" not in told.err


def test_served(asked: Path) -> None:
    served = open_models([f"asked={asked / 'run'}"])
    direct = [one.text for one in served[0].translator.predict(inputs(asked))]
    with TestClient(create_app(served)) as client:
        (model,) = client.get("/v1/models").json()["models"]
        assert model["sources"] == ["story", "question"]
        assert model["examples"][0]["sources"] == inputs(asked)[0]
        body = {"text": inputs(asked), "want": ["tokens", "attention", "alignment", "flags"]}
        for words in (False, True):
            told = client.post("/v1/predict", json={**body, "words": words})
            assert told.status_code == 200, told.text
            assert [one["text"] for one in told.json()["results"]] == direct
        views = {"text": inputs(asked)[0], "views": model["views"], "words": True}
        drawn = client.post("/v1/predict", json=views)
        assert drawn.status_code == 200, drawn.text
        assert set(drawn.json()["results"][0]["views"]) == set(model["views"])
        weighed = {"source": inputs(asked)[0], "target": "Ann"}
        assert client.post("/v1/score", json=weighed).status_code == 200
        for wrong in ("who", {"story": "a"}, {"story": "a", "question": "b", "x": "c"}):
            refused = client.post("/v1/predict", json={"text": wrong})
            assert refused.status_code == 400
            assert "expected story, question, the model's sources" in refused.json()["error"]
        for malformed in ({}, {"story": 3}, [{"story": ["a"]}], 3):
            assert client.post("/v1/predict", json={"text": malformed}).status_code == 400
