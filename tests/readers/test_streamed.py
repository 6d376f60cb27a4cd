import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.errors import RecipeError
from saccade.nouns import pair
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.pairs import Pairs
from saccade.readers.streamed import Streamed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files of 40, 4 and 100 pairs of twelve bytes each, plain, packed and Parquet."""
    rows = [f"{n:05d}\tabcde\n" for n in range(100)]
    (tmp_path / "0.tsv").write_text("".join(rows[:40]), encoding="utf-8")
    (tmp_path / "1.tsv.gz").write_bytes(gzip.compress("".join(rows[:4]).encode()))
    table = {"source": [row[:5] for row in rows], "target": ["abcde"] * 100}
    pq.write_table(pa.table(table), tmp_path / "2.parquet")
    return tmp_path


def streamed(folder: Path, *names: str, sample: int = 30) -> Streamed:
    corpus = Part(Reader, "shards", {"paths": list(names)})
    return Streamed(folder, corpus=corpus, sample=sample)


def test_reads_its_corpus_and_names_the_readers_of_its_files(folder: Path) -> None:
    reader = streamed(folder, "0.tsv", "1.tsv.gz")
    assert list(reader.read()) == list(reader.corpus.read())
    assert [shard.paths[0].name for shard in reader.shards] == ["0.tsv", "1.tsv.gz"]
    alone = Streamed(folder, corpus=Part(Reader, "pairs", {"pairs": [["a", "b"], ["c", "d"]]}))
    assert [type(shard) for shard in alone.shards] == [Pairs]


def test_head_has_as_many_of_each_file(folder: Path) -> None:
    found = streamed(folder, "*.*").head()
    names = [example.origin.rpartition("/")[2] for example in found.read()]
    wanted = [("0.tsv", 10), ("1.tsv.gz", 4), ("2.parquet", 10)]
    assert names == [f"{name}:{i + 1}" for name, n in wanted for i in range(n)]
    assert found.paths == streamed(folder, "*.*").paths


def test_head_of_many_files_reads_some_of_them_all_over(tmp_path: Path) -> None:
    for n in range(130):
        (tmp_path / f"{n:03d}.tsv").write_text(f"{n}\ta\n", encoding="utf-8")
    found = [example.source for example in streamed(tmp_path, "*.tsv").head().read()]
    assert found == [str(n) for n in range(0, 130, 3)]


def test_estimate_counts_lines_by_their_bytes(folder: Path) -> None:
    assert streamed(folder, "0.tsv").head().estimate() == 40
    assert streamed(folder, "1.tsv.gz").head().estimate() == 4
    assert streamed(folder, "2.parquet").head().estimate() == 100
    rows = [["a", "b"]] * 7
    alone = Streamed(folder, corpus=Part(Reader, "pairs", {"pairs": rows}))
    assert alone.head().estimate() == 7


def test_a_sample_is_told_by_its_pairs_and_a_corpus_by_its_sizes_and_ends(folder: Path) -> None:
    reader, path = streamed(folder, "0.tsv", sample=5), folder / "0.tsv"
    corpus, sample = reader.fingerprint(), reader.head().fingerprint()
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-2] + "X\n", encoding="utf-8")
    assert reader.fingerprint() != corpus
    assert reader.head().fingerprint() == sample
    path.write_text("X" + text[1:], encoding="utf-8")
    assert reader.fingerprint() != corpus
    assert reader.head().fingerprint() != sample


def test_samples_of_numbers_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for last in (1.0, 2.0):
        reader = Streamed(Path(), corpus=Part(Reader, "pairs", {"pairs": [["a", "b"]]}))
        rows = [pair(np.array([0.0] * 5000 + [last]), "a")]  # as text, numpy would shorten it
        monkeypatch.setattr(reader.corpus, "read", lambda rows=rows: iter(rows))
        found.append(reader.head().fingerprint())
    assert found[0] != found[1]


@pytest.mark.parametrize("name", ["buffer", "sample"])
def test_less_than_two_pairs_are_refused(name: str) -> None:
    with pytest.raises(RecipeError, match=f"streamed: {name} is 1; expected at least 2 pairs"):
        Part(Reader, "streamed", {name: 1}).build(Path())
