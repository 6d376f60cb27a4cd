"""Parquet files: columns by name, nested ones too, a part of the rows in memory at a time."""

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.errors import DataError
from saccade.readers import _arrow
from saccade.readers.parquet import Parquet


def reader(root: Path, columns: dict[str, Any], **options: str) -> Parquet:
    pq.write_table(pa.table(columns), root / "a.parquet")
    return Parquet(root, path="a.parquet", **options)


def found(root: Path, columns: dict[str, Any], **options: str) -> list[tuple[str, ...]]:
    return [(e.source, *e.references) for e in reader(root, columns, **options).read()]


def test_usual_names_and_the_only_two_columns_are_found(tmp_path: Path) -> None:
    assert found(tmp_path, {"id": [1], "tgt": ["b"], "src": ["a"]}) == [("a", "b")]
    assert found(tmp_path, {"en": ["a"], "fr": ["b"], "score": [0.5]}) == [("a", "b")]
    assert found(tmp_path, {"en": ["a"], "fr": ["b"]}, source="fr") == [("b", "a")]
    more = {"id": ["1"], "en": ["a"], "output": ["b"], "target": ["c"]}
    assert found(tmp_path, more, source="en") == [("a", "c")]
    assert found(tmp_path, more, source="target", target="en") == [("c", "a")]


def test_nested_columns_have_dots(tmp_path: Path) -> None:
    rows = {"id": ["x"], "translation": [{"en": "a", "fr": "b", "deep": {"de": "c"}}]}
    one = reader(tmp_path, rows, source="translation.en", target="translation.deep.de")
    assert [(e.source, e.target) for e in one.read()] == [("a", "c")]
    assert one.names() == ["id", "translation.en", "translation.fr", "translation.deep.de"]
    assert [(u.column, u.value) for u in one.unread()] == [("id", "x"), ("translation.fr", "b")]


def test_a_column_with_a_dot_in_its_name(tmp_path: Path) -> None:
    assert found(tmp_path, {"a.b": ["x"], "c": ["y"]}, source="a.b", target="c") == [("x", "y")]


def test_lists_are_references_and_features_are_joined(tmp_path: Path) -> None:
    rows = {"lemma": ["run"], "form": [["ran", "run"]], "tags": [["V", "PST"]]}
    assert found(tmp_path, rows, features="tags") == [("run\tV;PST", "ran", "run")]
    text = {"lemma": ["run", "be"], "form": ["ran", "be"], "tags": ["V;PST", None]}
    assert found(tmp_path, text, features="tags") == [("run\tV;PST", "ran"), ("be", "be")]


def test_whole_numbers_are_text_or_labels(tmp_path: Path) -> None:
    rows = {"text": ["good", "bad"], "label": [1, 0]}
    assert found(tmp_path, rows) == [("good", "1"), ("bad", "0")]
    info = b'{"info": {"features": {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}'
    table = pa.table(rows).replace_schema_metadata({b"huggingface": info})
    pq.write_table(table, tmp_path / "a.parquet")
    named = Parquet(tmp_path, path="a.parquet").read()
    assert [(e.source, e.target) for e in named] == [("good", "pos"), ("bad", "neg")]


def test_dictionaries_and_long_strings_are_text(tmp_path: Path) -> None:
    rows = {
        "src": pa.array(["a", "a"]).dictionary_encode(),
        "tgt": pa.array(["b", "c"], type=pa.large_string()),
    }
    assert found(tmp_path, rows) == [("a", "b"), ("a", "c")]


def test_few_rows_are_held_and_rows_count_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, sizes = 5000, []
    rows = {"src": [str(i) for i in range(n)], "tgt": ["x"] * n, "other": ["y" * 100] * n}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=3000)
    real = _arrow._values

    def seen(batch: Any, name: str, path: Path) -> list[Any]:
        sizes.append(batch.num_rows)
        assert "other" not in batch.schema.names
        return real(batch, name, path)

    monkeypatch.setattr(_arrow, "_values", seen)
    examples = list(Parquet(tmp_path, path="a.parquet").read())
    assert [e.source for e in examples] == rows["src"]
    assert examples[-1].origin == f"{tmp_path}/a.parquet:{n}"
    assert max(sizes) <= _arrow.BATCH


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            {"source": ["a"], "target": ["b"]},
            {"source": "sorce"},
            "a.parquet: no column of text 'sorce' for the source. Did you mean 'source'? Columns"
            " found: source, target. Name the right one",
        ),
        (
            {"a": ["a"], "b": ["b"], "c": ["c"]},
            {},
            "a.parquet: cannot tell which columns to read; columns found: a, b, c; expected two of",
        ),
        ({"a": ["a"], "b": [0.5]}, {}, "columns found: a; expected two of text"),
        ({"src": ["a"], "tgt": [None]}, {"target": "tgt"}, "no column of text 'tgt'"),
        ({"src": ["a", None], "tgt": ["b", "c"]}, {}, "a.parquet:2: 'src' is null; expected text."),
        (
            {"src": ["a", "b"], "tgt": [["b"], []]},
            {},
            "a.parquet:2: 'tgt' is an empty list; expect",
        ),
        ({"src": ["a" * 1_000_001], "tgt": ["b"]}, {}, "a.parquet:1: 'src' has 1,000,001 characte"),
        ({"src": ["a\tb"], "tgt": ["c"], "f": ["V"]}, {"features": "f"}, "holds a tab"),
        ({"src": pa.array([], pa.string()), "tgt": pa.array([], pa.string())}, {}, "no rows; expe"),
        (
            {"src": [["a", "b"]], "tgt": ["c"]},
            {},
            "a.parquet:1: 'src' is ['a', 'b']; expected text",
        ),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, rows: dict[str, Any], options: dict[str, str], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        found(tmp_path, rows, **options)
    assert message in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    odd = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xe9")]
    )
    with pytest.raises(DataError, match=r"a.parquet: column 'src' holds bytes that are not UTF-8"):
        found(tmp_path, {"src": odd, "tgt": ["b"]})


def test_broken_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(
        DataError, match=r"a\.parquet: cannot be read \(.*\); expected a whole file"
    ):
        list(Parquet(tmp_path, path="a.parquet").read())
    pq.write_table(pa.table({"src": ["a"] * 5000, "tgt": ["b"] * 5000}), tmp_path / "b.parquet")
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[4:60] = b"\xff" * 56
    (tmp_path / "b.parquet").write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"b\.parquet: cannot be read"):
        list(Parquet(tmp_path, path="b.parquet").read())
    with pytest.raises(DataError, match=r"c\.parquet: no such file"):
        list(Parquet(tmp_path, path="c.parquet").read())


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = reader(tmp_path, {"src": ["a"], "tgt": ["b"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError) as caught:
        list(one.read())
    assert str(caught.value) == (
        "reader parquet: the package pyarrow is not installed; expected it beside saccade."
        " Install it: pip install saccade[data]."
    )


def test_fingerprint_depends_on_columns(tmp_path: Path) -> None:
    rows = {"src": ["a"], "tgt": ["b"]}
    one = reader(tmp_path, rows)
    assert one.fingerprint() == reader(tmp_path, rows).fingerprint()
    assert one.fingerprint() != reader(tmp_path, rows, source="tgt", target="src").fingerprint()
