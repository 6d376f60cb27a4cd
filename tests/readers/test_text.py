import gzip
from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.nouns import pair
from saccade.readers.text import Text


def reader(root: Path, source: list[str], target: list[str]) -> Text:
    (root / "s").write_text("".join(line + "\n" for line in source))
    (root / "t").write_text("".join(line + "\n" for line in target))
    return Text(root, source="s", target="t")


def test_lines_are_paired(tmp_path: Path) -> None:
    pairs = list(reader(tmp_path, ["a b", ""], ["x", ""]).read())
    assert pairs == [pair("a b", "x", f"{tmp_path}/s:1"), pair("", "", f"{tmp_path}/s:2")]


def test_packed_and_plain_can_be_mixed(tmp_path: Path) -> None:
    (tmp_path / "s.gz").write_bytes(gzip.compress(b"a\n"))
    (tmp_path / "t").write_text("x\n")
    pairs = Text(tmp_path, source="s.gz", target="t").read()
    assert [(pair.source, pair.target) for pair in pairs] == [("a", "x")]


@pytest.mark.parametrize("longer", ["source", "target"])
def test_unequal_counts_are_named(tmp_path: Path, longer: str) -> None:
    lines = (["a"] * 5, ["b"] * 2) if longer == "source" else (["a"] * 2, ["b"] * 5)
    n, m = map(len, lines)
    with pytest.raises(DataError) as caught:
        list(reader(tmp_path, *lines).read())
    assert str(caught.value) == (
        f"{tmp_path}/s has {n} lines but {tmp_path}/t has {m}; line pairs must match."
        " No line stands out: look at the end of the longer file."
    )


def test_first_empty_side_is_suspected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Line 2 is the first that is empty on one side, the targ"):
        list(reader(tmp_path, ["a", "b", "", "d"], ["a", "", "c"]).read())


def test_first_jump_in_length_is_suspected(tmp_path: Path) -> None:
    found = r"Line 2 is the first where one side is over 5 times longer \(1 and 6 characters\)"
    with pytest.raises(DataError, match=found):
        list(reader(tmp_path, ["a", "b", "c"], ["a", "bbbbbb"]).read())


@pytest.mark.parametrize("side", ["s", "t"])
def test_empty_file_is_named(tmp_path: Path, side: str) -> None:
    lines = ([], ["a"]) if side == "s" else (["a"], [])
    with pytest.raises(DataError, match=rf"/{side}: the file is empty"):
        list(reader(tmp_path, *lines).read())


def test_fingerprint_tells_the_sides_apart(tmp_path: Path) -> None:
    one = reader(tmp_path, ["a"], ["b"])
    assert one.fingerprint() == reader(tmp_path, ["a"], ["b"]).fingerprint()
    assert one.fingerprint() != Text(tmp_path, source="t", target="s").fingerprint()


def test_files_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file was named; expected a path"):
        list(Text(tmp_path).read())


def test_further_targets_are_references(tmp_path: Path) -> None:
    for name, lines in {"s": "a\nb\n", "t": "x\ny\n", "u": "X\n\n"}.items():
        (tmp_path / name).write_text(lines)
    one = Text(tmp_path, source="s", target="t", references=["u"])
    assert [example.references for example in one.read()] == [("x", "X"), ("y", "")]
    assert one.paths == (tmp_path / "s", tmp_path / "t", tmp_path / "u")
    assert one.fingerprint() != Text(tmp_path, source="s", target="t").fingerprint()
    (tmp_path / "u").write_text("X\n")
    with pytest.raises(DataError, match=r"/s has 2 lines but .*/u has 1; line pairs must match"):
        list(one.read())
