from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.readers.dialogue import Dialogue

LINES = ["a b __eou__ c __eou__ d e __eou__ f __eou__", "alone __eou__", "x __eou__ y __eou__ "]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.txt"
    path.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
    return path


def test_every_turn_answers_those_before_it(file: Path) -> None:
    examples = list(Dialogue(file.parent, path="talk.txt", history=2).read())
    assert [(e.source, e.target) for e in examples] == [
        ("a b", "c"),
        ("a b __eou__ c", "d e"),
        ("c __eou__ d e", "f"),
        ("x", "y"),
    ]
    assert examples[1].origin == f"{file}:1 turn 3"


def test_a_part_of_the_lines(file: Path) -> None:
    last = Dialogue(file.parent, path="talk.txt", skip=2)
    first = Dialogue(file.parent, path="talk.txt", most=1)
    assert [e.target for e in last.read()] == ["y"]
    assert [e.target for e in first.read()] == ["c", "d e", "f"]
    assert first.fingerprint() != last.fingerprint()


def test_nothing_to_answer(file: Path) -> None:
    message = "no dialogue of two turns parted by '__eou__' in the lines asked for; expected some."
    with pytest.raises(DataError, match=message):
        list(Dialogue(file.parent, path="talk.txt", skip=1, most=1).read())
    message = "history 0 and separator '__eou__' leave nothing to answer; expected at least one"
    with pytest.raises(DataError, match=message):
        list(Dialogue(file.parent, path="talk.txt", history=0).read())
