"""Which reader suits which file."""

import gzip
from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.fit.files import ColumnNames, find_corpus


def _file(folder: Path, name: str, text: str = "a\tb\nc\td\n") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.tsv", "a\tb\n", "tsv"),
        ("a.txt", "a\tb\n", "tsv"),
        ("a.csv", "a,b\n", "csv"),
        ("a.jsonl", '{"source": "a", "target": "b"}\n', "jsonl"),
        ("a.txt", "no pairs here\n", "blocks"),
    ],
)
def test_a_file_alone(tmp_path: Path, name: str, text: str, kind: str) -> None:
    corpus = find_corpus([_file(tmp_path, name, text)])
    assert [one["kind"] for one in corpus.train] == [kind]
    assert corpus.has_source == (kind != "blocks")


def test_packed_files_are_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("a\tb\n")
    assert find_corpus([path]).train[0]["kind"] == "tsv"


def test_two_plain_files_are_source_and_target(tmp_path: Path) -> None:
    one, other = _file(tmp_path, "all.en", "a b\n"), _file(tmp_path, "all.fr", "c d\n")
    corpus = find_corpus([one, other])
    assert corpus.train == [{"kind": "text", "source": str(one), "target": str(other)}]
    with pytest.raises(RecipeError, match=r"two plain files and have no columns; leave out --sou"):
        find_corpus([one, other], columns=ColumnNames(source="1"))


def test_names_say_what_is_held_out(tmp_path: Path) -> None:
    names = ["ice_train.tsv", "ice_dev.tsv", "ice_test.tsv"]
    corpus = find_corpus([_file(tmp_path, name) for name in names])
    assert corpus.train[0]["path"].endswith("ice_train.tsv")
    assert corpus.valid == {"kind": "tsv", "path": str(tmp_path / "ice_dev.tsv")}
    assert corpus.test == {"kind": "tsv", "path": str(tmp_path / "ice_test.tsv")}


def test_a_file_called_test_alone_is_what_there_is(tmp_path: Path) -> None:
    corpus = find_corpus([_file(tmp_path, "test.tsv")])
    assert len(corpus.train) == 1
    assert corpus.test is None


def test_a_header_makes_a_table_of_names(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.tsv", "word\tpronunciation\ncat\tk a t\n")
    (reading,) = find_corpus([path], columns=ColumnNames(target="pronunciation")).train
    assert reading["kind"] == "csv"
    assert reading["delimiter"] == "tab"
    assert reading["target"] == "pronunciation"


def test_columns_by_number(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.tsv", "a\tb\tV;PST\n")
    (reading,) = find_corpus([path], columns=ColumnNames("1", "2", "3")).train
    assert (reading["source"], reading["target"], reading["features"]) == (1, 2, 3)


def test_a_name_without_a_header(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no column is called ipa: its first line is no header"):
        find_corpus([_file(tmp_path, "a.tsv")], columns=ColumnNames(target="ipa"))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.tsv: no such file; expected pairs"):
        find_corpus([tmp_path / "gone.tsv"])


def test_no_file() -> None:
    with pytest.raises(RecipeError, match=r"fit: no data; expected a file of pairs"):
        find_corpus([])


def test_plain_text_beside_pairs(tmp_path: Path) -> None:
    plain = _file(tmp_path, "plain.txt", "nothing\n")
    with pytest.raises(DataError, match=r"plain\.txt: plain text without tabs beside other files"):
        find_corpus([_file(tmp_path, "a.tsv"), plain])


def test_several_files_to_validate_on(tmp_path: Path) -> None:
    valid = [_file(tmp_path, "v.tsv"), _file(tmp_path, "w.tsv")]
    with pytest.raises(RecipeError, match=r"2 files to validate on; expected one"):
        find_corpus([_file(tmp_path, "a.tsv")], valid=valid)
