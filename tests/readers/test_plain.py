from pathlib import Path

from saccade.nouns import pair
from saccade.readers.plain import Plain


def test_lines_are_targets(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n \ntwo\n")
    reader = Plain(tmp_path, path="a.txt")
    where = tmp_path / "a.txt"
    assert list(reader.read()) == [
        pair("", "one", f"{where}:1"),
        pair("", "two", f"{where}:3"),
    ]
    assert reader.fingerprint() == Plain(where.parent, path="a.txt").fingerprint()
