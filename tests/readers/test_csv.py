"""Comma-separated files as people write them: any delimiter, any quotes, a header or none."""

import csv as standard
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import DataError, RecipeError
from saccade.nouns import pair
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.csv import Csv


def reader(root: Path, text: str, **options: Any) -> Csv:
    (root / "a.csv").write_bytes(text.encode())
    return Csv(root, path="a.csv", **options)


def found(root: Path, text: str, **options: Any) -> list[tuple[str, str]]:
    return [(e.source, e.target) for e in reader(root, text, **options).read()]


ROWS = [("hello, you", "salut; toi"), ("good", "bon"), ('say "no"', "dis « non »"), ("a|b", "c")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_delimiter_is_found(tmp_path: Path, delimiter: str, end: str) -> None:
    text = io.StringIO()
    standard.writer(text, delimiter=delimiter, lineterminator=end).writerows(ROWS)
    assert found(tmp_path, text.getvalue()) == ROWS


cell = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.tuples(cell, cell), min_size=1), st.sampled_from(",;\t|"))
def test_what_the_standard_library_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], delimiter: str
) -> None:
    text = io.StringIO()
    standard.writer(text, delimiter=delimiter, quoting=standard.QUOTE_ALL).writerows(rows)
    names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
    options = {"delimiter": names[delimiter], "quote": "double", "header": "no"}
    kept = [(s, t) for s, t in rows if (s + t).strip()]
    content = text.getvalue().replace("\r\n", "\n")
    folder = tmp_path_factory.mktemp("csv")
    if kept:
        assert found(folder, content, **options) == kept


def test_quoted_fields_hold_line_feeds_and_rows_are_named_by_their_first_line(
    tmp_path: Path,
) -> None:
    where = tmp_path / "a.csv"
    assert list(reader(tmp_path, 'a,"b\nc"\n\n"d ""e""",f\n').read()) == [
        pair("a", "b\nc", f"{where}:1"),
        pair('d "e"', "f", f"{where}:4"),
    ]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("'a, b','c'\n'd','e'\n", [("a, b", "c"), ("d", "e")]),
        ("'tis,c'est\nthe cat's,du chat\n", [("'tis", "c'est"), ("the cat's", "du chat")]),
        ('a, "b, c"\nd, "e"\n', [("a", "b, c"), ("d", "e")]),
        ('"a \\"b\\" c","d"\n"e","f"\n', [('a "b" c', "d"), ("e", "f")]),
        ('"Hello\tx\nyou"\ty\nand\tz\n', [('"Hello', "x"), ('you"', "y"), ("and", "z")]),
        ("5\" disk,x\n6' rod,y\n", [('5" disk', "x"), ("6' rod", "y")]),
    ],
)
def test_quotes_are_found(tmp_path: Path, text: str, pairs: list[tuple[str, str]]) -> None:
    assert found(tmp_path, text) == pairs


def test_byte_order_mark_and_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress('\ufeff"source",target\na,b\n'.encode()))
    (one,) = Csv(tmp_path, path="a.csv.gz").read()
    assert (one.source, one.target) == ("a", "b")


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("source,target", True),
        ("Tgt,SRC", True),
        ("English,French", True),
        ("en,fr", True),
        ("hello,bonjour", False),
        ("source,source", False),
    ],
)
def test_headers_are_told_by_their_names(tmp_path: Path, first: str, is_header: bool) -> None:
    assert len(found(tmp_path, f"{first}\na,b\nc,d\n")) == (2 if is_header else 3)
    assert len(found(tmp_path, f"{first}\na,b\nc,d\n", header="no")) == 3
    assert len(found(tmp_path, f"{first}\na,b\nc,d\n", header="yes")) == 2


def test_yes_and_no_are_what_yaml_makes_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\nc,d\n")
    for header, n in ((True, 1), (False, 2), ("yes", 1), ("no", 2), ("auto", 2)):
        part = Part(Reader, "csv", {"path": "a.csv", "header": header})
        assert len(list(part.build(tmp_path).read())) == n


def test_columns_by_name_by_number_and_by_custom(tmp_path: Path) -> None:
    text = "id,tgt,src,note\n1,b,a,\n2,d,c,x\n"
    assert found(tmp_path, text) == [("a", "b"), ("c", "d")]
    assert found(tmp_path, text, source="note", target="id") == [("", "1"), ("x", "2")]
    assert found(tmp_path, text, source=4, target="1") == [("", "1"), ("x", "2")]
    assert found(tmp_path, "my,other\n1,2\n", source="other") == [("2", "1")]
    assert found(tmp_path, "id,tgt,en\n1,b,a\n", source="en") == [("a", "b")]
    assert found(tmp_path, "a,b,c\nd,e,f\n", target=1) == [("b", "a"), ("e", "d")]


@pytest.mark.parametrize("name", ["id", "Index", "#", ""])
def test_what_counts_the_rows_is_no_source(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{name},English,French\n1,one,un\n2,two,deux\n", encoding="utf-8")
    read = [(e.source, e.target) for e in Csv(tmp_path, path=str(path)).read()]
    assert read == [("one", "un"), ("two", "deux")]
    path.write_text("id,English\n1,one\n", encoding="utf-8")
    assert [e.source for e in Csv(tmp_path, path=str(path)).read()] == ["one"]


def test_features_stand_behind_the_source(tmp_path: Path) -> None:
    text = "lemma,form,features\nrun,ran,V;PST\nox,oxen,N;PL\nbe,be,\n"
    assert found(tmp_path, text, features="features") == [
        ("run\tV;PST", "ran"),
        ("ox\tN;PL", "oxen"),
        ("be", "be"),
    ]
    with pytest.raises(DataError, match=r"a.csv:1: the source 'a\\tb' holds a tab; expected none"):
        found(tmp_path, "a\tb,c,V\n", features=3, delimiter="comma")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "a,b\nc,d,e\n",
            {},
            "a.csv:2: 3 fields, but line 1 has 2, parted by ','; expected as many",
        ),
        ("a,b\n\nc\n", {}, "a.csv:3: 1 fields, but line 1 has 2"),
        ("a\nb\n", {}, "a.csv: every row has a single column, 'a' in the first; expected two or"),
        (
            "a\nb\n",
            {"delimiter": "comma"},
            "a.csv:1: no column is left for the target; the row has",
        ),
        ("\n\n", {"delimiter": "comma"}, "a.csv: no row holds anything; expected a source and a"),
        ("", {}, "a.csv: the file is empty"),
        ("a,b\n", {"source": "en"}, "a.csv:1: no column 'en' for the source. Columns found: 1, 2."),
        (
            "source,target\na,b\n",
            {"target": "tagret"},
            "a.csv:1: no column 'tagret' for the target. Did you mean 'target'? Columns found:"
            " source, target.",
        ),
        (
            "a,b\n",
            {"target": 3},
            "a.csv:1: no column 3 for the target; there are 2 (1, 2), counted",
        ),
        ("a,b\n", {"source": 0}, "a.csv:1: no column 0 for the source; there are 2"),
        (
            'a,b\n"c,d\ne,f\n',
            {"quote": "double"},
            'a.csv:2: the quotes " of this row do not match (unexpected end of data); expected',
        ),
        (
            'a,b\n"c"d,e\n',
            {"quote": "double"},
            "a.csv:2: the quotes \" of this row do not match (',' expected after",
        ),
        (
            "a,b\nc\rd,e\n",
            {},
            "a.csv:2: a carriage return stands inside a row; expected line feeds",
        ),
        (f"a,b\n{'c' * 140_000},d\n", {}, "a.csv:2: a field has more than 131,072 characters;"),
        ("a,b\nc,\0d\n", {}, "a.csv:2: character 3 is NUL, which is no text"),
    ],
)
def test_malformed_files_are_named(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        found(tmp_path, text, **options)
    assert message in str(caught.value)


def test_an_open_quote_is_named_where_it_opens(tmp_path: Path) -> None:
    text = "a,b\n" * 600 + '"c,d\n' + "e,f\n" * 60_000
    with pytest.raises(DataError, match=r'a.csv:601: a field has more .* Is a " left open in this'):
        found(tmp_path, text)


def test_text_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\nc,d\xe9\n")
    with pytest.raises(
        DataError, match=r"a\.csv:2: byte 4 of the line is 0xe9, which is not UTF-8"
    ):
        list(Csv(tmp_path, path="a.csv").read())


def test_empty_fields_behind_the_last_do_no_harm(tmp_path: Path) -> None:
    assert found(tmp_path, "a,b\nc,d,,\n") == [("a", "b"), ("c", "d")]


def test_names_and_what_is_not_read(tmp_path: Path) -> None:
    one = reader(tmp_path, "src,tgt,note,none\na,b,,\nc,d,see,\n")
    assert one.names() == ["src", "tgt", "note", "none"]
    assert [(u.path, u.column, u.value) for u in one.unread()] == [
        (tmp_path / "a.csv", "note", "see")
    ]
    assert reader(tmp_path, "a,b\n").names() == ["1", "2"]


def test_fingerprint_depends_on_how_it_is_read(tmp_path: Path) -> None:
    one = reader(tmp_path, "a,b\n")
    assert one.fingerprint() == reader(tmp_path, "a,b\n").fingerprint()
    for options in ({"source": 2}, {"delimiter": "comma"}, {"quote": "none"}, {"header": "yes"}):
        assert one.fingerprint() != reader(tmp_path, "a,b\n", **options).fingerprint()


def test_a_column_is_a_number_or_a_name() -> None:
    with pytest.raises(
        RecipeError, match=r"csv.source: expected a whole number or text, found 1.5"
    ):
        Part(Reader, "csv", {"source": 1.5}).build(Path())
