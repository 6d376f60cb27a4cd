from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.readers.misspellings import Misspellings


def read(folder: Path, text: str) -> list[tuple[str, str, str]]:
    (folder / "list.txt").write_text(text, encoding="utf-8")
    found = Misspellings(folder, path="list.txt").read()
    return [(e.source, e.target, e.origin.rpartition(":")[2]) for e in found]


def test_every_spelling_is_a_pair(tmp_path: Path) -> None:
    text = "four: forer, fore*5,for*4\n?: bav, unz\n\ncat: kat \n"
    assert read(tmp_path, text) == [
        ("forer", "four", "1"),
        ("fore", "four", "1"),
        ("for", "four", "1"),
        ("kat", "cat", "4"),
    ]


def test_a_line_without_a_colon(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"list.txt:2: found 'kat'; expected `right: wrong, wrong`"):
        read(tmp_path, "four: fore\nkat\n")


def test_the_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    read(tmp_path, "a: b\n")
    one = Misspellings(tmp_path, path="list.txt").fingerprint()
    read(tmp_path, "a: c\n")
    assert Misspellings(tmp_path, path="list.txt").fingerprint() != one
