"""The verb that makes a model of files in one command."""

from pathlib import Path

from tests.cli.conftest import Call

WORDS = [a + b for a in ("ba", "ke", "li", "mo", "nu", "ta") for b in ("da", "fe", "gi", "po", "ru")]


def _pairs(folder: Path) -> None:
    rows = "".join(f"{word}\t{' '.join(word)}\n" for word in WORDS)
    (folder / "words.tsv").write_text(rows, encoding="utf-8")


def test_a_dry_run_says_what_was_found_and_writes_nothing(call: Call, tmp_path: Path) -> None:
    _pairs(tmp_path)
    said = call("fit", "words.tsv", "--dry-run")
    assert said.code == 0
    assert "30 pairs from words.tsv" in said.out
    assert "Task: pronunciation." in said.out
    assert "Candidate recurrent" in said.out
    assert "Nothing was trained and nothing was written." in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.tsv"]


def test_a_model_a_table_and_what_to_do_next(call: Call, tmp_path: Path) -> None:
    _pairs(tmp_path)
    said = call("fit", "words.tsv", "--within", "20s", "-o", "out/words")
    assert said.code == 0, said.err
    assert "held-out examples" in said.out
    assert "This takes about" in said.err
    assert "was promised. Next:" in said.err
    assert (tmp_path / "out" / "words" / "model.safetensors").exists()
    again = call("train", "out/words/fit.yaml", "-o", "out/again", "--dry-run")
    assert again.code == 0, again.err


def test_wrong_use(call: Call, tmp_path: Path) -> None:
    _pairs(tmp_path)
    cases = {
        ("words.tsv", "--within", "soon"): "--within soon: expected a time such as 90s, 20m or 2h.",
        ("words.tsv", "--task", "poetry"): "--task poetry: no such task.",
        ("gone.tsv",): "gone.tsv: no such file; expected pairs.",
        ("words.tsv", "--resume"): "holds no plan to resume",
    }
    for arguments, message in cases.items():
        said = call("fit", *arguments)
        assert said.code in (1, 2)
        assert message in said.err
