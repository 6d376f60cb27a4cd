"""The reckoning of larger work follows from its assumptions, and the page shows it as it is."""

import sys
from pathlib import Path

import pytest

from benchmarks import cost
from benchmarks.workloads import Shape

PAGE = Path(__file__).parents[2] / "docs" / "measurements.md"


def test_training_by_hand() -> None:
    shape = Shape(width=10, hidden=20, layers=1, vocabulary=100)
    a_symbol = 2 * (400 + 400 + 200) + 2 * (600 + 400 + 1000)  # one of each side
    given = cost.Training(
        pairs=1e6, epochs=2, symbols=3, shape=shape, peak=1e3, use=0.5, scaling=0.5
    )
    hours = 3 * 3 * a_symbol * 2e6 / 500 / 3600
    text = cost.training(given, [1, 4])
    assert f"| 1 | {hours:,.0f} | {hours:,.0f} |" in text
    assert f"| 4 | {hours / 2:,.0f} | {2 * hours:,.0f} |" in text
    assert cost.parameters(shape) == 12 * 100 + 4 * 200 + 1000


def test_translating_by_hand() -> None:
    given = cost.Translating(symbols=86400 * 100, speed=1, busy=0.5)
    assert "| 10 | 20.0 |" in cost.translating(given, [10])


def test_the_speed_is_taken_from_a_comparison() -> None:
    row = {"peer": "saccade", "work": "D", "case": "beam 5, batch 64"}
    whole = {
        "effort": {"rows": 64},
        "machine": {"processor": "Some CPU", "cores": 4},
        "figures": [{**row, "facts": {"symbols_per_second": 123.0}}],
    }
    given = cost.measured(whole)
    assert (given.speed, given.cores) == (123.0, 4)
    assert "beam 5, batch 64, on Some CPU" in given.where
    with pytest.raises(SystemExit, match="no figure of saccade for D"):
        cost.measured({**whole, "figures": []})


def test_the_page_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "measurements.md"
    copy.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["cost", "--md", str(copy)])
    cost.main()
    text = copy.read_text(encoding="utf-8")
    assert "#### Training on a billion pairs" in text
    for name in ("growth", "cost"):
        assert text.count(f"<!-- {name} -->") == text.count(f"<!-- /{name} -->") == 1
