"""CTC from a recipe to outputs on the command line: digits read out, written as digits."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import saccade
from saccade import recipe as recipes
from saccade import run
from saccade.cli import app
from saccade.errors import RecipeError
from saccade.folders.examples import example_of
from saccade.models.ctc import Ctc
from tests.train import small

TEXT = """
name: digits
data:
  train: {kind: tsv, path: train.tsv}
  valid: {kind: tsv, path: train.tsv}
  test: {kind: tsv, path: train.tsv}
  source: {tokenizer: character}
  target: {tokenizer: character}
model:
  kind: ctc
  embedding: 24
  dropout: 0.0
  encoder: {kind: rnn, cell: lstm, hidden: 32, dropout: 0.0}
training:
  learning_rate: 0.01
  schedule: {kind: constant, warmup: 10}
  batch_tokens: 512
  max_steps: 160
  report_every: 10
  validate_every: 80
  metrics: [exact_match]
  threads: 1
decoding:
  metrics: [exact_match, cer]
"""


def rows() -> list[tuple[str, str]]:
    """Numbers of one to three digits as they are read out, and as they are written."""
    numbers = [str(n * 37 % 1000) for n in range(60)]
    return [("".join(small.WORDS[int(digit)] for digit in n), n) for n in numbers]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train it, with one row that has fewer frames than labels."""
    place = tmp_path_factory.mktemp("ctc")
    lines = "".join(f"{source}\t{target}\n" for source, target in [*rows(), ("one", "11111")])
    (place / "train.tsv").write_text(lines, encoding="utf-8")
    text = TEXT.replace("train.tsv", str(place / "train.tsv"))
    (place / "recipe.yaml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(place / "home"))
        run.train(recipes.parse(text), place / "model", console=small.quiet())
    return place


def call(*arguments: object) -> str:
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    assert found.exit_code == 0, found.output
    return found.output


def test_objective_and_search_are_those_of_the_model() -> None:
    recipe = recipes.parse(TEXT)
    assert recipe.training.objective.kind == "ctc"
    assert recipe.decoding.search.kind.startswith("ctc_")
    named = recipes.parse(TEXT + "  search: beam\n")
    assert named.decoding.search.kind == "beam"


def test_what_goes_along_frames_needs_a_model_of_frames() -> None:
    raw: dict[str, Any] = small.recipe().plain()
    raw["training"]["objective"], raw["decoding"]["search"] = "ctc", "ctc_greedy"
    with pytest.raises(RecipeError) as error:
        recipes.from_plain(raw)
    for where, other in (("objective: ctc", "cross_entropy"), ("search: ctc_greedy", "beam")):
        told = (
            f"{where} goes along the frames of a model, but encoder_decoder has none. Use {other}"
        )
        assert told in str(error.value)


def test_writes_the_digits_alone_and_together(folder: Path) -> None:
    model = saccade.load(folder / "model")
    sources, targets = (list(side) for side in zip(*rows(), strict=True))
    found = model.predict(sources)
    right = sum(one.text == target for one, target in zip(found, targets, strict=True))
    assert right >= 0.9 * len(rows())
    assert [model.predict(source).text for source in sources[:8]] == [one.text for one in found[:8]]
    beams = model.predict(sources[:20], beam=3, nbest=2)
    assert [one.text for one in beams] == [one.text for one in found[:20]]
    assert len(beams[0].nbest) == 2


def test_looks_where_a_digit_is_read_out(folder: Path) -> None:
    one = saccade.load(folder / "model").predict("threefour")
    assert one.text == "34"
    assert one.attention is not None
    assert one.attention[0, :5].sum() > 0.9
    assert one.attention[1, 5:9].sum() > 0.9


def test_the_log_tells_of_blanks_and_of_rows_left_out(folder: Path) -> None:
    said = (folder / "model" / "train.log").read_text(encoding="utf-8")
    assert said.count("ctc: only blanks so far; this is usual for the first 1,000 updates") == 1
    assert said.count("left out since the last report: they have fewer frames than their") == 1
    lines = (folder / "model" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    train = [row for row in map(json.loads, lines) if row["kind"] == "train"]
    assert sum(row["skipped"] for row in train) > 10
    assert 0 in [row["spoke"] for row in train]
    assert train[-1]["spoke"] > 0


def test_on_the_command_line(folder: Path) -> None:
    lines = folder / "input.txt"
    lines.write_text("onetwo\nthreefour\n", encoding="utf-8")
    for engine in ("torch", "native"):
        said = call("predict", folder / "model", "--input", lines, "--engine", engine)
        assert said.split() == ["12", "34"]
    assert "98.36" in call("evaluate", folder / "model")
    assert "34" in call("inspect", folder / "model", "threefour")
    said = call("doctor", folder / "recipe.yaml")
    assert "train: 1 targets (1.6%) need more frames than their source has" in said
    assert "train.tsv:61: 4 frames, 9 needed" in said


def test_a_text_is_laid_over_its_source(folder: Path) -> None:
    said = call("align", folder / "model", "threefour", "34", "-o", folder / "trellis.svg")
    rows = [line.split("\t") for line in said.splitlines() if line.startswith("label")]
    assert [row[1] for row in rows] == ["3", "4"]
    assert float(rows[0][3]) <= 6
    assert float(rows[1][2]) >= 4
    assert "The best path" in (folder / "trellis.svg").read_text(encoding="utf-8")
    (row,) = call(
        *("align", folder / "model", "six", "6", "--words", "--format", "jsonl")
    ).splitlines()[:1]
    assert json.loads(row)["text"] == "6"
    assert "10 paths, together" in call("align", folder / "model", "six", "6", "--paths")


@pytest.mark.parametrize("engine", ["ctranslate2", "onnx"])
def test_engines_that_cannot_say_so(folder: Path, engine: str) -> None:
    pytest.importorskip({"ctranslate2": "ctranslate2", "onnx": "onnxscript"}[engine])
    arguments = ["export", str(folder / "model"), "--to", engine, "--output", str(folder / "out")]
    found = CliRunner().invoke(app, arguments)
    told = {
        "ctranslate2": "model.kind is ctc, which ctranslate2 has no counterpart of",
        "onnx": "export onnx: model: ctc: adds up the paths of frames, which no graph can hold",
    }
    assert told[engine] in str(found.exception)


def test_frames_between_the_labels_are_no_holes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saccade.load(folder / "model")
    texts = [source for source, _ in rows() if len(source) > 12]

    def holes() -> int:
        return sum(flag.kind == "coverage" for one in model.predict(texts) for flag in one.flags)

    assert holes() == 0
    monkeypatch.setattr(Ctc, "covers", True)  # as if its spikes were attention
    assert holes() > 0


@pytest.fixture(scope="module")
def others(folder: Path) -> list[Path]:
    """Begin two models of the same data, with soft and with hard attention."""
    text = (folder / "recipe.yaml").read_text(encoding="utf-8")
    found = []
    for kind in ("additive", "hard"):
        model = (
            f"model={{kind: encoder_decoder, embedding: 8, encoder: {{kind: rnn, hidden: 8}},"
            f" decoder: {{kind: rnn, hidden: 8, attention: {kind}}}}}"
        )
        changed = recipes.parse(text, overrides=[model, "name=" + kind, "training.max_steps=2"])
        run.train(changed, folder / kind, console=small.quiet())
        found.append(folder / kind)
    return found


def test_soft_hard_and_ctc_stand_below_each_other(
    folder: Path, others: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    beside = [word for one in others for word in ("--beside", one.name)]
    (folder / "additive" / "examples.json").write_text('{"format": 1, "examples": []}')
    drawn = call("inspect", "model", "example:2", *beside, "-o", "all.svg")
    example = example_of(folder / "model", "2")
    assert drawn.count(f"{example.source} → ") == 3  # the same, whatever others carry
    picture = (folder / "all.svg").read_text("utf-8")
    assert all(name in picture for name in ("model", "additive", "hard"))
    shown = call("inspect", "model", "example:2", *beside)
    places = [shown.index(f"\n{name}\n") for name in ("model", "additive", "hard")]
    assert places == sorted(places)
    page = Path(call("report", "model", *beside).splitlines()[-1]).read_text("utf-8")
    for name in ("additive", "hard", "digits"):
        assert len(re.findall(rf"\b{name}: ", page)) == 8, name
