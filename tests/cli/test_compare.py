import json
import math
from pathlib import Path

import pytest

from saccade.experiments import comparison
from tests.cli.conftest import Call

QUICK = ("--set", "training.max_steps=2")
LANGUAGE = """
name: language
data:
  train: {kind: plain, path: text.txt}
  valid: {kind: plain, path: text.txt}
  test: {kind: plain, path: text.txt}
  target: {tokenizer: character}
model: {kind: language_model, embedding: 16, decoder: {kind: rnn, hidden: 16, attention: none}}
training: {max_steps: 20, learning_rate: 0.01, schedule: constant}
decoding: {metrics: []}
"""
WORDS = ("--set", "data.target.tokenizer=word", "--set", "name=words")


def test_a_sweep_is_trained_measured_and_drawn(call: Call, work: Path, tmp_path: Path) -> None:
    said = call(
        *("compare", work / "tiny.yaml", *QUICK, "-o", "both"),
        *("--over", "model.decoder.attention=bilinear,none", "--split", "valid"),
        *("--chart", "chart.svg"),
    )
    assert said.code == 0, said.err
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").count("<circle") == 2
    assert "tiny bilinear" in said.out
    assert "tiny none" in said.out
    assert "best" in said.out
    rows = json.loads((tmp_path / "both" / "compare.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in rows] == ["tiny bilinear", "tiny none"]
    assert rows[0]["parameters"] > rows[1]["parameters"]
    assert all(row["flops"] > 0 and row["seconds"] > 0 and row["speed"] > 0 for row in rows)
    assert sum(row["p_value"] is None for row in rows) == 1
    page = (tmp_path / "both" / "compare.html").read_text(encoding="utf-8")
    assert "by source length" in page
    assert "saccade compare" in page


def test_finished_runs_are_used_again_and_stopped_ones_go_on(
    call: Call, work: Path, tmp_path: Path
) -> None:
    command = ("compare", work / "tiny.yaml", "-o", "both", "--split", "valid", "--seeds", "1,2")
    sweep = ("--over", "model.embedding=16,8")
    assert call(*command, *sweep, *QUICK).code == 0
    names = sorted(p.name for p in (tmp_path / "both").iterdir() if p.is_dir())
    assert names == [f"tiny-{n}-seed-{s}" for n in (16, 8) for s in (1, 2)]
    finished = tmp_path / "both" / "tiny-16-seed-1"
    stopped = tmp_path / "both" / "tiny-16-seed-2"
    (stopped / "model.safetensors").unlink()
    before = (finished / "metrics.jsonl").stat().st_mtime_ns
    said = call(*command, *sweep, *QUICK)
    assert said.code == 0, said.err
    assert "Going on from step 2." in said.err
    assert "(2 seeds)" in said.out
    assert (finished / "metrics.jsonl").stat().st_mtime_ns == before
    other = call(*command, *sweep, "--set", "training.max_steps=3")
    assert other.code == 1
    assert "was trained with another recipe; expected the one to compare." in other.err
    assert call(*command, *sweep, "--set", "training.max_steps=3", "--overwrite").code == 0


def test_finished_models_stand_beside_each_other(call: Call, work: Path) -> None:
    assert call("train", work / "tiny.yaml", "-o", "other", *QUICK).code == 0
    said = call("compare", work / "model", "other", "--split", "valid", "-o", "both")
    assert said.code == 0, said.err
    assert "model" in said.out
    assert "other" in said.out
    changed = call("compare", work / "model", "other", "--set", "seed=2")
    assert changed.code == 2
    assert "is a finished model, which --over and --set cannot change." in changed.err


def test_what_cannot_be_compared_is_refused(call: Call, work: Path, tmp_path: Path) -> None:
    tiny = work / "tiny.yaml"
    for arguments, message in (
        ((tiny,), "compare: 1 recipe; expected two or more."),
        ((tiny, tiny), "compare: two recipes are called 'tiny'; expected a name for each."),
        ((tiny, "--over", "model.embedding"), "--over model.embedding: expected a.b=x,y,z"),
        ((tiny, "--over", "model.embedding=8,,9"), "expected a.b=x,y,z"),
        (
            (tiny, "--over", "model.embedding=8,9", "--seeds", "one"),
            "--seeds one: expected whole numbers, as in 1,2,3.",
        ),
    ):
        said = call("compare", *arguments, *QUICK)
        assert said.code == 2
        assert message in said.err
    said = call("compare", tiny, "--over", "model.decoder.attention=none,dot", *QUICK)
    assert "attention dot: the query has width 16" in said.err
    assert not (tmp_path / "runs").exists()


def test_other_test_pairs_and_other_metrics_are_refused(call: Call, work: Path) -> None:
    train = ("train", work / "tiny.yaml", *QUICK)
    pairs = '{kind: pairs, pairs: [["ab", "AB"]]}'
    assert call(*train, "-o", "a", "--set", f"data.valid={pairs}").code == 0
    said = call("compare", work / "model", "a", "--split", "valid")
    assert said.code == 1
    assert "'a' is tested on other pairs than 'model'; expected the same test set." in said.err
    assert call(*train, "-o", "b", "--set", "decoding.metrics=ter").code == 0
    said = call("compare", work / "model", "b", "--split", "valid")
    assert said.code == 1
    assert "the recipes share no first metric" in said.err


@pytest.fixture
def language(tmp_path: Path) -> Path:
    """A recipe of a language model, and its text."""
    lines = [f"the {noun} {verb}\n" for noun in ("cat", "dog", "cow") for verb in ("eats", "sits")]
    (tmp_path / "text.txt").write_text("".join(lines), encoding="utf-8")
    path = tmp_path / "language.yaml"
    path.write_text(LANGUAGE, encoding="utf-8")
    return path


def test_language_models_are_compared_by_likelihood(
    call: Call, language: Path, tmp_path: Path
) -> None:
    assert call("train", language, "-o", "longer", "--set", "training.max_steps=60").code == 0
    assert call("train", language, "-o", "words", *WORDS).code == 0
    said = call("compare", "longer", "words", "-o", "both")
    assert said.code == 0, said.err
    assert "test, 6 examples; ↓ lower is better" in said.out
    assert "nats a character ↓" in said.out
    assert "perplexity a piece ↓" in said.out
    rows = json.loads((tmp_path / "both" / "compare.json").read_text(encoding="utf-8"))
    for row in rows:
        measured = call("evaluate", row["name"], "--json", "-").out
        likely = json.loads(measured)
        figures = row["figures"]
        assert list(figures) == ["nats a character", "perplexity a piece"]
        nats, pieces = figures.values()
        assert nats["value"] == pytest.approx(likely["nats_per_character"])
        assert pieces["value"] == pytest.approx(likely["perplexity"])
        assert nats["low"] < nats["value"] < nats["high"]
        assert nats["lower_is_better"]
        assert math.isnan(row["speed"])
        assert row["by_length"] == []
    best = min(rows, key=lambda row: row["figures"]["nats a character"]["value"])
    assert [row["p_value"] is None for row in rows] == [row is best for row in rows]
    page = (tmp_path / "both" / "compare.html").read_text(encoding="utf-8")
    assert "nats a character ↓" in page
    assert "↓: lower is better." in page
    assert "by source length" not in page


def test_a_sweep_of_language_models(call: Call, language: Path, tmp_path: Path) -> None:
    sweep = ("--over", "model.decoder.cell=lstm,gru", "--seeds", "1,2", "-o", "cells")
    said = call("compare", language, *sweep, "--set", "training.max_steps=2")
    assert said.code == 0, said.err
    assert "language lstm (2 seeds)" in said.out
    rows = json.loads((tmp_path / "cells" / "compare.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in rows] == ["language lstm", "language gru"]


def test_what_has_no_common_measure_is_refused_before_training(
    call: Call, language: Path, work: Path, tmp_path: Path
) -> None:
    lines = language.read_text(encoding="utf-8").replace("name: language", "name: blocks")
    (tmp_path / "blocks.yaml").write_text(lines.replace("kind: plain", "kind: blocks"))
    text = (work / "tiny.yaml").read_text(encoding="utf-8")
    (tmp_path / "ter.yaml").write_text(
        text.replace("name: tiny", "name: ter").replace("[exact_match, chrf]", "[ter]")
    )
    tiny, valid = work / "tiny.yaml", ("--split", "valid")
    for arguments, code, message in (
        ((tiny, "ter.yaml"), 1, "share no first metric (tiny: exact_match, chrf; ter: ter)"),
        ((language, tiny, *valid), 1, "(language: nats a character, perplexity a piece; tiny"),
        ((language, "blocks.yaml"), 1, "'blocks' is tested on other pairs than 'language'"),
        ((language, "blocks.yaml", "--split", "tset"), 2, "'language' has no split 'tset'; there"),
    ):
        said = call("compare", *arguments, "-o", "none")
        assert said.code == code, said.err
        assert message in said.err
        assert not (tmp_path / "none").exists()
    (tmp_path / "text.txt").unlink()
    said = call("compare", language, "blocks.yaml", "-o", "none")
    assert "text.txt: no such file; reader plain needs it" in said.err
    assert not (tmp_path / "none").exists()


def test_two_options_can_be_varied_together(work: Path) -> None:
    cells = ("gru", "{kind: lstm, without: forget}")
    names = "model.encoder.cell+model.decoder.cell"
    chosen = comparison.variants([work / "tiny.yaml"], [f"{names}={','.join(cells)}"])
    assert [variant.name for variant in chosen] == [f"tiny {cell}" for cell in cells]
    for variant, kind in zip(chosen, ("gru", "lstm"), strict=True):
        parts = [variant.recipe.model.options[side] for side in ("encoder", "decoder")]
        assert [part.options["cell"].kind for part in parts] == [kind, kind]
