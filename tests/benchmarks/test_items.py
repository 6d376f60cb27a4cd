"""Wrong bits are counted for every number of items."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import items
from benchmarks.items import curve_of, table, wrong_bits
from benchmarks.length import Contender


class Said:
    def __init__(self, text: str) -> None:
        self.text = self.target = text


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that writes nothing but noughts, of references that are ones; lengths are in changes."""

    def examples(self: Contender, split: str) -> list[Said]:
        assert split == "long"
        assert self.changes[0].startswith("data.test.long.corpus.shortest=")
        n = int(self.changes[1].removeprefix("data.test.long.corpus.longest="))
        return [Said(" ".join(["01"] * n))] * 5

    def outputs_for(_: Any, given: list[Said]) -> list[Said]:
        return [Said(one.target.replace("1", "0", 1)) for one in given]

    monkeypatch.setattr(Contender, "opened", lambda _: None)
    monkeypatch.setattr(Contender, "examples", examples)
    monkeypatch.setattr(items, "outputs_for", outputs_for)


def test_missing_places_are_wrong() -> None:
    assert wrong_bits([("01", "01 11")]) == 50.0


def test_every_number_of_items_is_measured_by_itself() -> None:
    assert curve_of(Path("runs/x"), (1, 2, 4), 3) == [(1.0, 50.0), (2.0, 25.0), (4.0, 12.5)]


def test_the_table_and_the_drawing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "picture.svg"
    words = ["items", "runs/x", "runs/y", "--most", "3", "--svg", str(picture)]
    monkeypatch.setattr("sys.argv", words)
    items.main()
    shown = capsys.readouterr().out
    assert shown.startswith("| items | x | y |")
    assert shown.strip().endswith("| 3 | 16.67 | 16.67 |")
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert table({"a": [(2.0, 1.0)]}).endswith("| 2 | 1.00 |")
