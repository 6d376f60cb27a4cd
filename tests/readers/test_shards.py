import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.data.files import missing_files
from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.shards import Shards


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Six pairs a1..f1 -> A1..F1, two in each of three files of different kinds."""
    rows = [{"source": f"{c}1", "target": f"{c.upper()}1", "x": "x"} for c in "abcdef"]
    (tmp_path / "data").mkdir()
    packed = "".join(json.dumps(row) + "\n" for row in rows[:2]).encode()
    (tmp_path / "data" / "0.jsonl.gz").write_bytes(gzip.compress(packed))
    pq.write_table(pa.Table.from_pylist(rows[2:4]), tmp_path / "data" / "1.parquet")
    lines = [f"{row['source']}\t{row['target']}\n" for row in rows[4:]]
    (tmp_path / "data" / "2.tsv").write_text("".join(lines))
    return tmp_path


def test_all_files_of_a_pattern_are_read_in_the_order_of_their_names(corpus: Path) -> None:
    reader = Shards(corpus, paths=["data/*"])
    pairs = list(reader.read())
    assert [(e.source, e.target) for e in pairs] == [(f"{c}1", f"{c.upper()}1") for c in "abcdef"]
    names = ["0.jsonl.gz:1", "0.jsonl.gz:2", "1.parquet:1", "1.parquet:2", "2.tsv:1", "2.tsv:2"]
    assert [e.origin for e in pairs] == [f"{corpus}/data/{name}" for name in names]
    assert [path.name for path in reader.paths] == ["0.jsonl.gz", "1.parquet", "2.tsv"]
    assert [one.column for one in reader.unread()] == ["x"]


def test_patterns_come_one_after_the_other_and_columns_can_be_named(corpus: Path) -> None:
    reader = Shards(corpus, paths=["data/1*", str(corpus / "data" / "0*")], source="x")
    assert [e.source for e in reader.read()] == ["x"] * 4
    assert [e.target for e in reader.read()] == ["C1", "D1", "A1", "B1"]
    (swapped,) = (Shards(corpus, paths=["data/*.tsv"], source="2", target="1"),)
    assert [e.target for e in swapped.read()] == ["e1", "f1"]


def test_text_has_the_other_side_in_files_of_its_own(tmp_path: Path) -> None:
    for name in ("0.fr", "1.fr", "0.en", "1.en"):
        (tmp_path / name).write_text(f"{name} a\n{name} b\n")
    found = [
        (e.source, e.target) for e in Shards(tmp_path, paths=["*.fr"], targets=["*.en"]).read()
    ]
    assert found == [(f"{n}.fr {x}", f"{n}.en {x}") for n in "01" for x in "ab"]
    (tmp_path / "1.en").unlink()
    with pytest.raises(
        RecipeError, match=r"2 files of sources \(\*.fr\) but 1 of targets \(\*.en\)"
    ):
        Shards(tmp_path, paths=["*.fr"], targets=["*.en"])
    with pytest.raises(RecipeError, match=r"0.fr ends in '.fr'; expected .jsonl, .json, .tsv or"):
        Shards(tmp_path, paths=["*.fr"])
    with pytest.raises(RecipeError, match="shards: source beside targets; expected columns of"):
        Shards(tmp_path, paths=["0.fr"], targets=["0.en"], source="x")


def test_a_broken_line_is_named_with_its_file(corpus: Path) -> None:
    (corpus / "data" / "2.tsv").write_text("e\tE\nalone\n")
    with pytest.raises(DataError, match=r"data/2.tsv:2: no column 2 for the target"):
        list(Shards(corpus, paths=["data/*"]).read())


def test_a_pattern_that_fits_nothing_is_named_as_missing(corpus: Path) -> None:
    part = Part(Reader, "shards", {"paths": ["data/*", "none/*.jsonl"]})
    (said,) = missing_files({"data.train": part}, corpus)
    assert "none/*.jsonl: no such file; reader shards needs it (data.train.paths)" in said
    (said,) = missing_files({"data.train": Part(Reader, "shards", {})}, corpus)
    assert said.startswith("data.train.paths: no file is named; expected one for reader shards.")


def test_columns_of_tsv_are_numbers(corpus: Path) -> None:
    with pytest.raises(RecipeError, match=r"2.tsv is TSV, whose columns have numbers, but source"):
        Shards(corpus, paths=["data/*"], source="source")


def test_the_fingerprint_knows_content_and_order_but_no_names(corpus: Path) -> None:
    first = Shards(corpus, paths=["data/0*", "data/1*"]).fingerprint()
    assert Shards(corpus, paths=["data/1*", "data/0*"]).fingerprint() != first
    assert Shards(corpus, paths=["data/0*"], source="x").fingerprint() != first
    (corpus / "data").rename(corpus / "moved")
    assert Shards(corpus, paths=["moved/0*", "moved/1*"]).fingerprint() == first
