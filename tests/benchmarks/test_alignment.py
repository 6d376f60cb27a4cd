"""The gold of word alignment is laid out, and its growth measured; no time is ever asserted."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import alignment
from benchmarks.engines import Ended

STORIES = {
    "MasterCat": ("MaitreChat", "le chat", "the cat"),
    "Inn": ("Auberge", "il va", "he goes"),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with a novel of three pairs and two stories of one."""
    for name in ("novels", "gold"):
        (tmp_path / name).mkdir()
    long = "w " * (alignment.LONGEST + 1)
    (tmp_path / "novels" / "a.fr").write_text(f"un  deux\n{long}\n\n", encoding="utf-8")
    (tmp_path / "novels" / "a.en").write_text("one two\nlong\nempty\n", encoding="utf-8")
    for english, (french, *texts) in STORIES.items():
        for name, text in zip((french, english), texts, strict=True):
            (tmp_path / "gold" / f"{name}_sents.txt").write_text(f"1\t{text}\n", encoding="utf-8")
        links = tmp_path / "gold" / f"ali_w2w_{french}_{english}.txt"
        links.write_text("1\t0-0 1p1\n", encoding="utf-8")
    return tmp_path


def test_pairs_and_links_are_laid_out(data: Path) -> None:
    alignment.lay(data, data / "out")
    read = {path.name: path.read_text("utf-8") for path in (data / "out").iterdir()}
    assert read == {
        "train.tsv": "un deux\tone two\nle chat\tthe cat\nil va\the goes\n",
        "dev.tsv": "le chat\tthe cat\n",
        "dev.links": "0-0 1p1\n",
        "test.tsv": "il va\the goes\n",
        "test.links": "0-0 1p1\n",
    }


def test_growth_is_measured_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def run_here(command: list[str], *_: float) -> Ended:
        asked.append(int(command[-1]))
        return Ended(0, "noise\nPOINT " + json.dumps(alignment.point(asked[-1])), "")

    monkeypatch.setattr(alignment, "run", run_here)
    arguments = ["alignment", "growth", "--sizes", "20", "40", "--svg", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    alignment.main()
    assert asked == [20, 40]
    table = capsys.readouterr().out
    assert "| pairs | begin s | model 1 s | HMM s | links s | peak MiB |" in table
    assert "| 40 |" in table
    drawn = {path.name for path in tmp_path.glob("*.svg")}
    assert drawn == {"growth-alignment-seconds.svg", "growth-alignment-memory.svg"}


def test_a_point_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "run", lambda *_: Ended(-9, "", "killed"))
    with pytest.raises(SystemExit, match="20 pairs ended with code -9:\nkilled"):
        alignment.growth([20], None)
