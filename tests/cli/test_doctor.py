import shutil
from pathlib import Path

from saccade import starters
from tests.cli.conftest import Call


def test_doctor_of_a_recipe(call: Call, work: Path) -> None:
    said = call("doctor", work / "tiny.yaml")
    assert said.code == 0
    assert "train source: words a line" in said.out
    assert "flickr: 4 of 4 sources (100.0%) stand in training too" in said.out
    assert "valid source: 0 of 12 pieces (0.00%) are unknown" in said.out
    assert "2 warnings." in said.err


def test_doctor_of_files(call: Call, work: Path, tmp_path: Path) -> None:
    pair = call("doctor", work / "train.source", work / "train.target")
    assert "4 lines" in pair.out
    assert "Nothing alarming." in pair.err
    (tmp_path / "odd.txt").write_text("good\nbad \ufffd\n\n", encoding="utf-8")
    one = call("doctor", "odd.txt")
    assert "U+FFFD, a character lost in an earlier conversion: 1 (33.3%)" in one.out
    assert "line 2: bad" in one.out
    (tmp_path / "pairs.tsv").write_text("a\tb\na\tb\n", encoding="utf-8")
    assert "1 pairs (50.0%) are repeats" in call("doctor", "pairs.tsv").out


def test_lines_of_one_word_are_counted_in_characters(call: Call, tmp_path: Path) -> None:
    rows = "beau\tb o\ncalme\tk a l m\nlac\t\ufffd k\n"
    (tmp_path / "words.tsv").write_text(rows, encoding="utf-8")
    said = call("doctor", "words.tsv")
    assert "words.tsv source: characters a line" in said.out
    assert "words.tsv target: words a line" in said.out
    assert "1 warning." in said.err


def test_doctor_of_a_model(call: Call, work: Path) -> None:
    said = call("doctor", work / "model")
    assert said.code == 0
    for text in (
        "predicted its 4 examples",
        "0 of 4 outputs (0.0%) loop",
        "outputs have 1.00 times the characters of the references",
        "attention entropy is",
        "input: 0 of 12 pieces (0.00%) are unknown",
        "guard loop: 0 of 4 outputs (0.0%), output that repeats itself",
        "nonsense, repeated: ag ag ag",
        "nonsense, another script: Съешь",
    ):
        assert text in said.out


def test_doctor_of_a_model_without_examples(call: Call, work: Path, tmp_path: Path) -> None:
    shutil.copytree(work / "model", tmp_path / "model")
    (tmp_path / "model" / "examples.json").unlink()
    said = call("doctor", "model")
    assert said.code == 0, said.err
    assert "no examples.json: there is nothing to decode but nonsense" in said.out
    assert "nonsense, repeated: ag ag ag" in said.out


def test_doctor_of_tables(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        "run\tran\tV;PST\nrun\truns\tV;PRS\nbe\t\tV\n", encoding="utf-8"
    )
    said = call("doctor", "a.tsv")
    assert "a.tsv: column 3 is not read, for example 'V;PST'" in said.out
    assert "set features: 3 of the reader" in said.out
    assert "a.tsv: 1 of 2 sources (50.0%) have different targets" in said.out
    assert "a.tsv: 1 pairs (33.3%) have an empty side" in said.out
    (tmp_path / "b.csv").write_text('source,target,by\n"a, b",c,me\n', encoding="utf-8")
    said = call("doctor", "b.csv")
    assert "b.csv source: 1 lines" in said.out
    assert "b.csv: column by is not read, for example 'me'" in said.out
    (tmp_path / "c.jsonl").write_text('{"src": "a", "tgt": "b"}\n', encoding="utf-8")
    assert "c.jsonl target: 1 lines" in call("doctor", "c.jsonl").out


def test_doctor_of_a_recipe_with_features(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("run\tran\tV;PST\nbe\twas\tV;PST\n", encoding="utf-8")
    text = starters.text_of("inflection")
    for name in ("train", "valid", "test"):
        text = text.replace(f"data/{name}.tsv", "a.tsv")
    (tmp_path / "r.yaml").write_text(text, encoding="utf-8")
    said = call("doctor", "r.yaml")
    assert said.code == 0, said.err
    assert "tabs" not in said.out
    assert "not read" not in said.out
    (tmp_path / "r.yaml").write_text(text.replace(", features: 3}", "}"), encoding="utf-8")
    assert "a.tsv: column 3 is not read, for example 'V;PST'" in call("doctor", "r.yaml").out
