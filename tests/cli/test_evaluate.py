import json
from pathlib import Path

from tests.cli.conftest import TARGETS, Call
from tests.engines.folders import SOURCES, write_noise


def test_evaluate_prints_a_table_and_writes_json_and_outputs(
    call: Call, work: Path, tmp_path: Path
) -> None:
    said = call("evaluate", work / "model", "--json", "scores.json", "-o", "out.txt")
    assert said.code == 0
    for text in ("on flickr: 4 examples", "exact match", "100.00 to 100.00", "nrefs:1"):
        assert text in said.out.replace("exact_match", "exact match")
    assert "Perplexity 1." in said.err
    assert "a constant answer" in said.out
    assert "The constant answer is the most frequent target ('a cat sleeps')." in said.err
    assert "Symbols by their frequency in training: perplexity " in said.err
    found = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert found["split"] == "flickr"
    assert found["metrics"]["exact_match"]["value"] == 100.0
    assert found["constant"]["metrics"]["exact_match"] == 25.0
    assert found["constant"]["answer"] == "the most frequent target ('a cat sleeps')"
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").split("\n") == [*TARGETS, ""]


def test_evaluate_to_standard_output_is_json_alone(call: Call, work: Path) -> None:
    options = ("--split", "valid", "--metric", "chrf:word_order=2", "--beam", 1, "--json", "-")
    found = json.loads(call("evaluate", work / "model", *options).out)
    assert found["split"] == "valid"
    assert "nw:2" in found["metrics"]["chrf"]["signature"]


def test_an_unknown_split_or_metric_is_wrong_use(call: Call, work: Path) -> None:
    said = call("evaluate", work / "model", "--split", "train")
    assert said.code == 2
    assert "no split 'train'; there are valid, flickr." in said.err
    typo = call("evaluate", work / "model", "--metric", "blue")
    assert typo.code == 2
    assert "saccade: metrics has no part 'blue'. Did you mean 'bleu'?" in typo.err
    loose = call("evaluate", work / "model", "--metric", "bleu:lowercase")
    assert loose.code == 2
    assert "'lowercase' is not name=value; write bleu:lowercase=true." in loose.err


def test_labels_taken_for_each_other_are_shown_and_drawn(
    call: Call, work: Path, tmp_path: Path
) -> None:
    options = ("-m", "f1", "--confusion", "words", "--picture", "x.svg")
    said = call("evaluate", work / "model", *options)
    assert said.code == 0
    assert "macro F1" in said.out
    assert "sleeps" in said.out
    assert "wanted sleeps, written sleeps: " in (tmp_path / "x.svg").read_text(encoding="utf-8")
    odd = call("evaluate", work / "model", "--confusion", "letters")
    assert odd.code == 2


def test_examples_without_unknown_words_are_measured_by_themselves(
    call: Call, work: Path, tmp_path: Path
) -> None:
    said = call("evaluate", work / "model", "--without-unknown", "--json", "scores.json")
    assert said.code == 0
    assert "without unknown words: 4 examples" in said.out
    found = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))["without_unknown"]
    assert found["examples"] == 4
    assert found["metrics"]["exact_match"]["value"] == 100.0


def test_scores_by_length_are_shown_and_drawn(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("evaluate", work / "model", "-m", "chrf", "--by-length", "--picture", "x.svg")
    assert said.code == 0
    assert "length   n chrF" in said.out
    assert "     3   4 █" in said.out
    assert "chrF2 by source length" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    said = call("evaluate", "nowhere", "--picture", "x.jpg")
    assert "--picture x.jpg: ends in '.jpg'; expected .svg, .html, .png or .pdf" in said.err


def test_evaluate_lets_another_engine_write(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    options = ("--split", "valid", "--metric", "chrf", "--json", "-")
    plain = json.loads(call("evaluate", folder, *options, "-o", "torch.txt").out)
    other = ("--engine", "ctranslate2", "--quantise", "int8", "-o", "int8.txt")
    found = json.loads(call("evaluate", folder, *options, *other).out)
    assert found["perplexity"] == plain["perplexity"], "torch says how likely references are"
    given = "\n".join(SOURCES).encode() + b"\n"
    told = call("translate", folder, *other[:4], stdin=given)
    assert (tmp_path / "int8.txt").read_text(encoding="utf-8") == told.out
    refused = call("evaluate", folder, "--split", "valid", "--quantise", "int4")
    assert refused.code == 2
    assert (
        "--quantise int4: the engine torch rounds no weights; expected an engine that"
        in refused.err
    )
