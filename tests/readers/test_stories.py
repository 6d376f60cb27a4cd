"""A user's own stories: objects and columns."""

import json
from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example
from saccade.readers.stories import Stories

GOOD = {"story": ["Ida went home.", "Ben slept!"], "question": "Where is Ida?", "answer": "home"}


def read(path: Path, **options: Any) -> list[Example]:
    return list(Stories(Path(), path=str(path), **options).read())


def jsonl(folder: Path, *rows: Any) -> Path:
    path = folder / "s.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return path


def test_a_list_of_sentences_or_a_text(tmp_path: Path) -> None:
    text = {**GOOD, "story": "Ida went home. Ben slept!", "supporting": [1]}
    one, other = read(jsonl(tmp_path, GOOD, text))
    assert one.sources["story"] == "Ida went home. Ben slept!."
    assert one.sources == other.sources
    assert (one.target, one.supporting, other.supporting) == ("home", (), (0,))


def test_columns(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("Ida went home. Ben slept.\tWhere?\tat home\t2 1\nA.\tB?\tC\n", "utf-8")
    one, other = read(path)
    assert (one.target, one.supporting, other.supporting) == ("at home", (0, 1), ())


def test_sentences_with_stops_inside_need_another_separator(tmp_path: Path) -> None:
    path = jsonl(tmp_path, {**GOOD, "story": ["Dr. Ida slept", "Ben slept"]})
    with pytest.raises(DataError, match=r"s.jsonl:1: 2 sentences hold '\.' inside and would be 3"):
        read(path)
    (one,) = read(path, separator="\n")
    assert one.sources["story"] == "Dr. Ida slept\nBen slept"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1], "s.jsonl:1: found '.*' without 'story'; expected "),
        ({"story": "A.", "question": "B?"}, "without 'answer'; expected"),
        ({**GOOD, "story": 3}, "the story is 3; expected a text or a list of sentences"),
        ({**GOOD, "story": ["A", 3]}, "expected a text or a list of sentences"),
        ({**GOOD, "story": []}, "the story has no sentences; expected one or more"),
        ({**GOOD, "answer": 3}, "the answer is 3; expected text"),
        ({**GOOD, "question": " "}, 'the question is " "; expected text'),
        ({**GOOD, "answer": "\ud800"}, "the answer holds half a character"),
        ({**GOOD, "supporting": [3]}, r"supporting sentences \[3\]; expected numbers from 1 to 2"),
        ({**GOOD, "supporting": "x"}, r"supporting sentences \[\"x\"\]; expected numbers"),
    ],
)
def test_malformed_objects_say_where(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(jsonl(tmp_path, row))


def test_malformed_columns_say_where(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("A.\tB?\n", "utf-8")
    with pytest.raises(
        DataError, match=r"s.tsv:1: has 2 columns; expected story<TAB>question<TAB>"
    ):
        read(path)
    with pytest.raises(RecipeError, match=r"stories.separator: is empty"):
        read(path, separator="")
