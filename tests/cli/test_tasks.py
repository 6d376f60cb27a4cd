"""The verbs on other tasks than translation: to write, to classify, to tag, to forecast."""

import json
import math
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
from tests.cli.conftest import TARGETS, Call

LANGUAGE = """
name: writer
data:
  train: {kind: plain, path: FOLDER/texts}
  valid: {kind: plain, path: FOLDER/texts}
  target: {tokenizer: character, normalise: [nfc]}
model: {kind: language_model, embedding: 16, decoder: {hidden: 24, dropout: 0.0}, dropout: 0.0}
training:
  {max_steps: 60, learning_rate: 0.02, schedule: constant, validate_every: 30,
   objective: {kind: cross_entropy, smoothing: 0.0}}
decoding: {search: greedy, max_extra: 20, metrics: []}
"""


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts and a language model of them."""
    folder = tmp_path_factory.mktemp("writer")
    (folder / "texts").write_text("".join(f"{t}\n" for t in TARGETS), encoding="utf-8")
    (folder / "lm.yaml").write_text(LANGUAGE.replace("FOLDER", str(folder)), encoding="utf-8")
    run.train(recipes.load(folder / "lm.yaml"), folder / "model", console=Console(quiet=True))
    return folder


def test_translate_goes_on_from_each_line(call: Call, writer: Path) -> None:
    said = call("translate", writer / "model", stdin=b"a c\n\na d\n")
    lines = said.out.splitlines()
    assert said.code == 0
    assert lines[0].startswith("a c")
    assert lines[1].startswith("a ")
    assert lines[2].startswith("a d")
    assert set(lines) <= set(TARGETS)


def test_samples_follow_the_seed(call: Call, writer: Path) -> None:
    def drawn(*options: object) -> str:
        return call("translate", writer / "model", "--sample", *options, stdin=b"a \n").out

    assert drawn("--seed", 3) == drawn("--seed", 3)
    many = drawn("--nbest", 9, "--temperature", 2.0, "--top-k", 9, "--top-p", 0.99)
    assert len(many.splitlines()) == 9
    assert len(set(many.splitlines())) > 2


def test_options_of_another_way_of_searching_are_refused(call: Call, writer: Path) -> None:
    said = call("translate", writer / "model", "--top-k", 3, "--seed", 1)
    assert said.code == 2
    assert (
        "--top-k, --seed: belongs to --sample, which was not asked for. Add --sample." in said.err
    )
    said = call("translate", writer / "model", "--sample", "--beam", 3)
    assert "--beam: belongs to beam search, which was not asked for. Leave out --" in said.err


def test_evaluate_says_how_likely_texts_are(call: Call, writer: Path) -> None:
    said = call("evaluate", writer / "model", "--json", "-")
    found = json.loads(said.out)
    assert found["metrics"] == {}
    assert 0 < found["nats_per_character"] < 1
    said = call("evaluate", writer / "model")
    assert said.code == 0
    assert f"{found['nats_per_character']:.4f} nats" in said.err
    assert "decoded" not in said.err


def test_score_weighs_texts(call: Call, writer: Path, work: Path, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("god a snur\n" * 4, encoding="utf-8")
    known, odd = (
        [float(line) for line in call("score", writer / "model", texts).out.splitlines()]
        for texts in (writer / "texts", "odd")
    )
    assert len(known) == 4
    assert min(known) > max(odd)
    two = call("score", writer / "model", "odd", "odd")
    assert two.code == 2
    assert (
        "score: this model is a language model; expected one file of texts, found two." in two.err
    )
    one = call("score", work / "model", work / "train.source")
    assert one.code == 2
    assert "score: this model reads a source; expected SOURCE and TARGET, found one file" in one.err


def test_looking_at_a_language_model(call: Call, writer: Path) -> None:
    for target in (writer / "lm.yaml", writer / "model"):
        assert call("doctor", target).code == 0
    assert call("report", writer / "model").code == 0
    for view in ("beam", "distribution"):
        assert call("inspect", writer / "model", "a c", "--view", view).code == 0
    said = call("inspect", writer / "model", "a c")
    assert said.code == 2
    assert "this model has no attention" in said.err


def test_a_language_model_starts_the_decoder_of_a_translator(
    call: Call, writer: Path, work: Path, tmp_path: Path
) -> None:
    decoder = "{kind: rnn, hidden: 24, wiring: luong, input_feeding: false, attention: additive}"
    sets = [f"model.decoder={decoder}", "data.target.tokenizer=character", "training.max_steps=1"]
    options = [word for one in sets for word in ("--set", one)]
    known = writer / "model"
    assert call("train", work / "tiny.yaml", *options, "--from", known, "--dry-run").code == 0
    said = call("train", work / "tiny.yaml", *options, "--from", known, "-o", "new")
    assert said.code == 0, said.err
    assert "took 10 weights (target_embedding.weight, decoder.cells.0." in said.err
    assert "new are" in said.err
    assert (tmp_path / "new/target.json").read_text() == (known / "target.json").read_text()
    assert (tmp_path / "new/source.json").read_text() != (known / "source.json").read_text()


def test_the_cells_of_a_language_model(call: Call, writer: Path, tmp_path: Path) -> None:
    said = call("inspect", writer / "model", "a cat sleeps", "--view", "cells")
    assert said.code == 0, said.err
    assert "of decoder" in said.out
    empty = call("inspect", writer / "model", "", "--view", "cells")
    assert empty.code == 2
    assert "there is no cell state to show: the text is empty, or this model writes" in empty.err
    assert call("gradients", writer / "model", "--length", 9, "-o", "flow.svg").code == 0
    assert "decoder" in (tmp_path / "flow.svg").read_text(encoding="utf-8")


NOUNS = [["the cat sat", "D N V"], ["a dog ran", "D N V"], ["dogs ran", "N V"]]
FILMS = [["good film", "yes"], ["bad film", "no"], ["a good one", "yes"], ["a bad one", "no"]]
WORDS = {"tokenizer": {"kind": "word", "punctuation": False}}
SMALL = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
CNN = {"kind": "cnn", "width": 16, "stride": 8}
TRAINING = {"max_steps": 4, "validate_every": 2, "keep_last": 2, "report_every": 2}


def series() -> list[list[str]]:
    waves = [[f"{math.sin(0.5 * i + k):.4f}" for i in range(8)] for k in range(6)]
    return [[" ".join(wave[:5]), " ".join(wave[5:])] for wave in waves]


def scenes() -> list[list[str]]:
    return [list(pair) for pair in islice(Shapes().pairs("train"), 4)]


def task(pairs: list[list[str]], model: dict[str, Any], **sections: Any) -> dict[str, Any]:
    reader = {"kind": "pairs", "pairs": pairs}
    sides = {name: sections.pop(name, WORDS) for name in ("source", "target")}
    model = {"embedding": 8, "encoder": SMALL, **model}
    return {
        "data": {"train": reader, "valid": reader, "test": reader, **sides},
        "model": model,
        "training": {**TRAINING, **sections.pop("training", {})},
        "decoding": {"metrics": ["exact_match"], **sections},
    }


NUMBERS = {
    "source": {"kind": "numbers"},
    "target": {"kind": "numbers"},
    "training": {"objective": "squared_error"},
    "metrics": ["mae", "rmse"],
}
TASKS = {
    "classifier": task(FILMS, {"kind": "classifier"}, target={"tokenizer": "line"}),
    "tagger": task(NOUNS, {"kind": "tagger"}),
    "forecaster": task(
        series(), {"kind": "encoder_decoder", "decoder": SMALL, "head": "values"}, **NUMBERS
    ),
    "dense": task(series(), {"kind": "dense_forecaster", "horizon": 3}, **NUMBERS),
    "captioner": task(
        scenes(),
        {"kind": "encoder_decoder", "embedder": CNN, "encoder": "none", "decoder": SMALL},
        source={"kind": "image"},
        max_ratio=0.0,
    ),
}
FORECASTERS = ("forecaster", "dense")


@pytest.fixture(scope="module", params=TASKS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe of one kind of task and its finished run; named after the kind."""
    folder = tmp_path_factory.mktemp("tasks") / str(request.param)
    folder.mkdir()
    recipe = recipes.from_plain({"name": request.param, **TASKS[request.param]})
    (folder / "recipe.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    run.train(recipe, folder / "run", console=Console(quiet=True))
    return folder


def lines(made: Path) -> list[str]:
    return [source for source, _ in TASKS[made.name]["data"]["train"]["pairs"]]


def test_every_kind_predicts_and_is_averaged(call: Call, made: Path, tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in lines(made)).encode()
    said = call("predict", made / "run", stdin=text)
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == len(lines(made))
    mean = call("average", made / "run", "-o", "mean", "--last", 2)
    assert mean.code == 0, mean.err
    assert call("predict", tmp_path / "mean", stdin=text).code == 0
    table = call("predict", made / "run", "--format", "tsv", stdin=text).out.splitlines()
    assert [row.split("\t")[1] for row in table] == said.out.splitlines()
    forecast = call("forecast", made / "run", "--steps", 2, stdin=text)
    assert forecast.code == (0 if made.name in FORECASTERS else 2), forecast.err
    if made.name in FORECASTERS:
        assert [len(line.split()) for line in forecast.out.splitlines()] == [2] * len(lines(made))


def test_every_kind_is_evaluated_and_compared(call: Call, made: Path, tmp_path: Path) -> None:
    said = call("evaluate", made / "run", "--json", "-", "-o", "out.txt")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    written = (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()
    assert found["examples"] == len(lines(made)) == len(written)
    assert set(found["metrics"]) == set(TASKS[made.name]["decoding"]["metrics"])
    assert ("baselines" in found) == (made.name in FORECASTERS)
    assert ("perplexity" in found) == (made.name not in FORECASTERS)
    shown = call("evaluate", made / "run", "--by-length")
    assert shown.code == 0, shown.err
    both = call("compare", made / "recipe.yaml", "--over", "seed=1,2", "-o", "both")
    assert both.code == 0, both.err
    assert len(json.loads((tmp_path / "both" / "compare.json").read_text())) == 2


def test_every_kind_is_looked_at(call: Call, made: Path, tmp_path: Path) -> None:
    for target in ("recipe.yaml", "run"):
        said = call("doctor", made / target)
        assert said.code == 0, said.err
        assert "never changes" not in said.out
    assert "report.html" in call("report", made / "run").out
    page = (made / "run" / "report.html").read_text(encoding="utf-8")
    assert ("what came" in page) == (made.name in FORECASTERS)
    said = call("inspect", made / "run", "example:1", "-o", "one.svg")
    if made.name != "tagger":
        assert call("inspect", made / "run", lines(made)[0]).code == 0
    if made.name == "tagger":
        assert "this model has no attention" in said.err
        said = call("inspect", made / "run", lines(made)[0], "--view", "distribution")
    assert said.code == 0, said.err
    assert made.name == "tagger" or "<svg" in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_every_kind_is_served(made: Path) -> None:
    served = open_models([f"{made.name}={made / 'run'}"])
    with TestClient(create_app(served)) as client:
        (model,) = client.get("/v1/models").json()["models"]
        assert model["name"] == made.name
        asked = {"text": lines(made)[0], "want": ["tokens", "attention"]}
        told = client.post("/v1/predict", json=asked)
        assert told.status_code == 200, told.text
        expected = served[0].translator.predict(lines(made)[0]).text
        assert told.json()["results"][0]["text"] == expected


def test_what_an_engine_cannot_do_is_refused_in_a_sentence(call: Call, made: Path) -> None:
    text = f"{lines(made)[0]}\n".encode()
    for engine in ("ctranslate2", "onnx"):
        said = call("predict", made / "run", "--engine", engine, stdin=text)
        told = call("export", made / "run", "--to", engine, "-o", engine, "--lines", 0)
        works = engine == "onnx" and made.name in ("classifier", "tagger")
        assert (said.code, told.code) == ((0, 0) if works else (2, 2)), (said.err, told.err)
        if not works:
            assert "; expected " in said.err
            assert len(said.err.strip().splitlines()) == 1, said.err
            assert "--engine torch" in said.err
    bias = call("bias", made / "run")
    textual = made.name in ("classifier", "tagger")
    assert bias.code == (0 if textual else 2), bias.err
    assert textual or "bias: this model reads or writes something else than one text" in bias.err
    gradients = call("gradients", made / "run", "--length", 5)
    assert gradients.code == (0 if textual else 2), gradients.err
    score = call("score", made / "run", "in", "out")
    assert score.code == 1
