"""The growth of time and memory is measured, fitted and drawn; no time is ever asserted."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import growth
from benchmarks.engines import Ended
from benchmarks.workloads import Shape

CURVES = {
    "source": {"train s", "train MiB", "decode s", "decode MiB"},
    "vocabulary": {"train s", "train MiB", "decode s", "decode MiB"},
    "corpus": {"learn s", "encode s", "plan s", "prepare MiB"},
}

TINY = {"width": 8, "hidden": 8, "layers": 1, "heads": 2, "vocabulary": 40}


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Measure points in this process."""

    def run_here(command: list[str], *_: float) -> Ended:
        before = sys.argv
        monkeypatch.setattr(sys, "argv", command[2:])
        growth.main()
        monkeypatch.setattr(sys, "argv", before)
        return Ended(0, capsys.readouterr().out, "")

    monkeypatch.setattr(growth, "run", run_here)


@pytest.mark.usefixtures("inside")
def test_all_curves_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--source", "2", "4", "--vocabulary", "50", "60", "--corpus", "20", "40"]
    words = ["--threads", "1", "--shape", json.dumps(TINY), *sizes]
    files = ["--json", str(tmp_path / "a.json"), "--svg", str(tmp_path), "--md"]
    monkeypatch.setattr(sys, "argv", ["growth", *words, *files, str(tmp_path / "a.md")])
    growth.main()
    assert "| exponent |" in capsys.readouterr().out
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    for axis, names in CURVES.items():
        curves = [curve for curve in found if curve["axis"] == axis]
        assert {curve["name"] for curve in curves} == names
        assert all(len(curve["points"]) == 2 for curve in curves)
        for kind in ("seconds", "memory"):
            assert (tmp_path / f"growth-{axis}-{kind}.svg").read_text().startswith("<svg")
    assert "| symbols a side | train s |" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_a_point_that_fails_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "run", lambda *_: Ended(1, "", "MemoryError"))
    with pytest.raises(SystemExit, match=r"source 8 train ended with code 1:\nMemoryError"):
        growth.measure("source", [8], Shape())


def test_exponents() -> None:
    assert growth.exponent([(1, 5), (10, 5), (100, 5)]) == pytest.approx(0)
    assert growth.exponent([(2, 1), (4, 2), (8, 4)]) == pytest.approx(1)
    assert growth.exponent([(2, 1), (4, 0)]) is None, "one point says nothing of growth"
