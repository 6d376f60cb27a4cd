from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.nouns import pair
from saccade.readers.tsv import Tsv


def test_columns_count_from_one(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text('lemma\tV;PST\t"form\n\nrun\tV\tran\n')
    reader = Tsv(tmp_path, path="a.tsv", source=1, target=3)
    where = tmp_path / "a.tsv"
    assert list(reader.read()) == [
        pair("lemma", '"form', f"{where}:1"),
        pair("run", "ran", f"{where}:3"),
    ]


def test_missing_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\nonly\n")
    with pytest.raises(DataError, match=r"a\.tsv:2: no column 2 for the target; the line has 1,"):
        list(Tsv(tmp_path, path="a.tsv").read())


def test_columns_below_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n")
    with pytest.raises(DataError, match=r"column 0 was asked for; columns count from 1"):
        list(Tsv(tmp_path, path="a.tsv", source=0).read())


def test_fingerprint_depends_on_columns(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n")
    one, other = Tsv(tmp_path, path="a.tsv"), Tsv(tmp_path, path="a.tsv", source=2, target=1)
    assert one.fingerprint() != other.fingerprint()


def test_features_stand_behind_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("run\tran\tV;PST\nbe\tbe\t\n")
    found = [(e.source, e.target) for e in Tsv(tmp_path, path="a.tsv", features=3).read()]
    assert found == [("run\tV;PST", "ran"), ("be", "be")]


def test_features_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("run\tran\n")
    with pytest.raises(DataError, match=r"a\.tsv:1: no column 3 for the features; the line has 2"):
        list(Tsv(tmp_path, path="a.tsv", features=3).read())
    with pytest.raises(DataError, match=r"column -1 was asked for; columns count from 1\. Change"):
        list(Tsv(tmp_path, path="a.tsv", features=-1).read())


def test_further_columns_are_not_forgotten(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("run\tran\nox\toxen\tN;PL\n")
    one = Tsv(tmp_path, path="a.tsv")
    assert [(u.column, u.value) for u in one.unread()] == [("3", "N;PL")]
    (tmp_path / "a.tsv").write_text("ox\toxen\tN;PL\n")
    whole = Tsv(tmp_path, path="a.tsv", features=3)
    assert whole.unread() == []
    assert whole.fingerprint() != one.fingerprint()
