"""Features are found where nobody named their column, and what is not read is told."""

from pathlib import Path

import pytest

from saccade.fit.columns import left_unread, looks_like_features, with_features
from saccade.fit.files import ColumnNames, find_corpus

FORMS = "walk\twalked\tV;PST\nwalk\twalks\tV;PRS;3;SG\n"
BETWEEN = "walk\tV;PST\twalked\nwalk\tV;PRS;3;SG\twalks\n"
NOTED = "walk\twalked\toften\nrun\tran\tseldom\n"


def _file(folder: Path, text: str, name: str = "a.tsv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tsv", FORMS, ColumnNames(features="3")),
        ("a.tsv", BETWEEN, ColumnNames("1", "3", "2")),
        ("a.tsv", NOTED, ColumnNames()),
        ("a.tsv", "walk\twalked\n", ColumnNames()),
        ("a.csv", "lemma,form,tags\nwalk,walked,Tense=Past\n", ColumnNames(features="tags")),
        ("a.csv", "title,genre\nAlien,horror;space\n", ColumnNames()),
        ("a.txt", "no pairs here\n", ColumnNames()),
    ],
)
def test_a_column_of_features_is_found(
    tmp_path: Path, name: str, text: str, expected: ColumnNames
) -> None:
    assert with_features(ColumnNames(), [_file(tmp_path, text, name)]) == expected


def test_what_the_user_named_stays(tmp_path: Path) -> None:
    path = _file(tmp_path, FORMS)
    assert with_features(ColumnNames(features="2"), [path]) == ColumnNames(features="2")
    assert with_features(ColumnNames("1", "3"), [path]) == ColumnNames("1", "3")
    assert with_features(ColumnNames("2", "1"), [path]) == ColumnNames("2", "1", "3")


def test_the_pairs_carry_their_features(tmp_path: Path) -> None:
    for text in (FORMS, BETWEEN):
        path = _file(tmp_path, text)
        corpus = find_corpus([path], columns=with_features(ColumnNames(), [path]))
        assert left_unread(corpus) == []
        assert {"source", "target", "features"} >= set(corpus.train[0]) - {"kind", "path"}
        assert corpus.train[0]["features"] == (3 if text == FORMS else 2)


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    path = _file(tmp_path, NOTED)
    assert left_unread(find_corpus([path])) == [
        f"{path}: column 3 is not read, as 'often'. Name the columns if you want it."
    ]


@pytest.mark.parametrize("text", ["", "V", "1;a b", "v;pst", "x = y", "12"])
def test_what_are_no_features(text: str) -> None:
    assert not looks_like_features(text)
