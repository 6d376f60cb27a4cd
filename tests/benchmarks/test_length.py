"""Outputs are grouped by the length of what should have been written."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import length
from benchmarks.length import Contender, Group, drawing, groups_of, table

OUTPUTS, REFERENCES = ["12", "1", "123456", "12345"], ["12", "2", "123456", "123459"]


def test_groups_end_at_multiples_of_the_longest_string_of_training() -> None:
    found = groups_of(OUTPUTS, REFERENCES, 3)
    assert [(one.last, one.n) for one in found] == [(3, 2), (6, 2)]
    assert found[0].edits == pytest.approx(100 / 3)  # one of three symbols
    assert [one.wrong for one in found] == [50.0, 50.0]


def test_the_table_has_a_row_for_each_length_and_a_column_for_each_model() -> None:
    found = {"a": groups_of(OUTPUTS, REFERENCES, 3), "b": groups_of(REFERENCES, REFERENCES, 3)}
    header, _, first, second = table(found, 3).splitlines()
    assert header == "| symbols | times training | strings | a | b |"
    assert first == "| 1 to 3 | 1 | 2 | 33.3 (50) | 0.0 (0) |"
    assert second.startswith("| 4 to 6 | 2 | 2 | ")


def test_the_drawing_names_every_model() -> None:
    found = {name: [Group(5, 1, 1.0, 2.0), Group(10, 1, 9.0, 8.0)] for name in ("here", "there")}
    drawn = drawing(found)
    assert drawn.startswith("<svg")
    assert "here" in drawn
    assert "there" in drawn


def test_the_table_goes_between_its_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Said:
        def __init__(self, text: str) -> None:
            self.text = self.target = text

    def outputs_for(*_: Any) -> list[Said]:
        return [Said(text) for text in OUTPUTS]

    monkeypatch.setattr(Contender, "opened", lambda _: None)
    monkeypatch.setattr(Contender, "examples", lambda *_: [Said(text) for text in REFERENCES])
    monkeypatch.setattr(length, "outputs_for", outputs_for)
    page, picture = tmp_path / "page.md", tmp_path / "picture.svg"
    page.write_text("before\n<!-- length -->\nold\n<!-- /length -->\nbehind\n", encoding="utf-8")
    also = ["--also", "sharper", "runs/x", "model.sharpen=2"]
    words = ["length", "runs/x", *also, "--step", "3", "--md", str(page), "--svg", str(picture)]
    monkeypatch.setattr("sys.argv", words)
    length.main()
    shown = capsys.readouterr().out.strip()
    assert "| x | sharper |" in shown
    assert page.read_text(encoding="utf-8") == (
        f"before\n<!-- length -->\n{shown}\n<!-- /length -->\nbehind\n"
    )
    assert picture.exists()
