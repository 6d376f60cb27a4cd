"""The verb that makes a model of files in one command."""

import re
from pathlib import Path

import pytest

from saccade.cli import fit as verb
from saccade.fit.outline import outline
from tests.cli.conftest import Call
from tests.fit.small import shrunk

STEMS, ENDS = ("ba", "ke", "li", "mo", "nu", "ta"), ("da", "fe", "gi", "po", "ru")
WORDS = [stem + end for stem in STEMS for end in ENDS]


def _pairs(folder: Path) -> None:
    rows = "".join(f"{word}\t{' '.join(word)}\n" for word in WORDS)
    (folder / "words.tsv").write_text(rows, encoding="utf-8")


def test_a_dry_run_says_what_was_found_and_writes_nothing(call: Call, tmp_path: Path) -> None:
    _pairs(tmp_path)
    said = call("fit", "words.tsv", "--dry-run", "--within", "60s")
    assert said.code == 0
    assert "30 pairs from words.tsv" in said.out
    assert "Task: pronunciation." in said.out
    assert "Candidate recurrent" in said.out
    assert re.search(r"This takes about .* of the 60 s allowed: recurrent [\d,]+ upd", said.out)
    assert "Nothing was trained and nothing was written." in said.err
    found = {path.name for path in tmp_path.iterdir()}
    assert found - {"home"} == {"words.tsv"}, "kernels are kept at home, and nothing else is"


@pytest.fixture
def _short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "outline", lambda *a, **k: shrunk(outline(*a, **k), 24))


@pytest.mark.usefixtures("_short_runs")
def test_a_model_a_table_and_what_to_do_next(call: Call, tmp_path: Path) -> None:
    _pairs(tmp_path)
    said = call("fit", "words.tsv", "--within", "60s", "-o", "out/words")
    assert said.code == 0, said.err
    report = (tmp_path / "out" / "words" / "report.html").read_text(encoding="utf-8")
    log = (tmp_path / "out" / "words" / "train.log").read_text(encoding="utf-8")
    assert "THE MODEL LEARNED NOTHING OF USE" in said.err, "24 updates teach nothing"
    assert "NO BETTER THAN A CONSTANT ANSWER" in report
    assert "NO BETTER THAN A CONSTANT ANSWER" in log
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


def test_a_home_below_a_file(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _pairs(tmp_path)
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "words.tsv" / "home"))
    said = call("fit", "words.tsv", "--within", "60s", "-o", "out/words")
    assert said.code == 1
    assert "cannot be made (Not a directory); expected a place to write. Set SACCADE" in said.err
    assert "Traceback" not in said.err


@pytest.mark.usefixtures("_short_runs")
def test_a_forecast_that_needs_no_model_is_better(call: Call, tmp_path: Path) -> None:
    rows = "".join(f"{t % 7}\n" for t in range(140))
    (tmp_path / "week.csv").write_text(f"x\n{rows}", encoding="utf-8")
    said = call("fit", "week.csv", "--within", "60s", "-o", "out/week")
    assert said.code == 0, said.err
    assert "NO BETTER THAN A FORECAST WITHOUT A MODEL: last season." in said.err
