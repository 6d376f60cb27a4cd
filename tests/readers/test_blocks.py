from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.readers.blocks import Blocks


def test_every_character_stands_in_one_block(tmp_path: Path) -> None:
    text = "First Citizen:\nSpeak, speak.\n\nAll: aye"
    (tmp_path / "a.txt").write_text(text)
    found = list(Blocks(tmp_path, path="a.txt", size=10).read())
    assert "".join(example.target for example in found) == text
    assert {len(example.target) for example in found[:-1]} == {10}
    assert {example.source for example in found} == {""}
    assert found[1].origin == f"{tmp_path / 'a.txt'}, block:2"


def test_shares_part_the_text_without_overlap(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(chr(97 + i % 26) for i in range(101)))
    bounds = [(0, 0.5), (0.5, 0.8), (0.8, 1)]
    parts = [
        "".join(e.target for e in Blocks(tmp_path, path="a.txt", size=7, first=a, last=b).read())
        for a, b in bounds
    ]
    assert "".join(parts) == (tmp_path / "a.txt").read_text()
    prints = {Blocks(tmp_path, path="a.txt", first=a, last=b).fingerprint() for a, b in bounds}
    assert len(prints) == 3


def test_errors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab")
    with pytest.raises(RecipeError, match=r"blocks.size: 0 is below 1; it is a number of char"):
        Blocks(tmp_path, path="a.txt", size=0)
    with pytest.raises(RecipeError, match=r"blocks: first 0.5 and last 0.2 are shares of the text"):
        Blocks(tmp_path, path="a.txt", first=0.5, last=0.2)
    message = r"a\.txt: its 2 characters leave none between first 0.9 and last 1; expected some"
    with pytest.raises(DataError, match=message):
        list(Blocks(tmp_path, path="a.txt", first=0.9).read())
