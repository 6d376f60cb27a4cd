"""Files at URLs read like files of this machine, and what goes wrong there is named."""

import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from saccade.data.files import missing_files
from saccade.data.prepare import prepare, training_batches
from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers import _remote
from saccade.readers._remote import address, is_there, matching, size_of
from saccade.readers.base import Reader
from saccade.readers.captions import Captions
from saccade.readers.columns import Columns
from saccade.readers.csv import Csv
from saccade.readers.jsonl import Jsonl
from saccade.readers.parquet import Parquet
from saccade.readers.plain import Plain
from saccade.readers.shards import Shards
from saccade.readers.streamed import Streamed
from saccade.readers.text import Text
from saccade.readers.tsv import Tsv
from tests.train import small

Upload = Callable[[Path], str]


@pytest.fixture
def upload() -> Iterator[Upload]:
    """Put the files of a folder into memory; return the URL of the folder there."""
    memory = fsspec.filesystem("memory")

    def put(folder: Path) -> str:
        for path in folder.iterdir():
            memory.pipe_file(f"/corpus/{path.name}", path.read_bytes())
        return "memory://corpus"

    yield put
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The same two pairs in files of all kinds."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.en").write_text("é b\nc\n")
    (folder / "a.de").write_text("1\n2\n")
    (folder / "a.tsv").write_text("é b\t1\nc\t2\n")
    (folder / "a.csv").write_text("source,target\né b,1\nc,2\n")
    rows = [{"source": "é b", "target": "1"}, {"source": "c", "target": "2"}]
    lines = b'{"source": "\xc3\xa9 b", "target": "1"}\n{"source": "c", "target": "2"}\n'
    (folder / "b.jsonl").write_bytes(lines)
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    pq.write_table(pa.Table.from_pylist(rows), folder / "d.parquet")
    return folder


READERS: list[Callable[[str], Reader]] = [
    lambda at: Text(Path(), source=f"{at}/a.en", target=f"{at}/a.de"),
    lambda at: Tsv(Path(), path=f"{at}/a.tsv"),
    lambda at: Csv(Path(), path=f"{at}/a.csv"),
    lambda at: Jsonl(Path(), path=f"{at}/b.jsonl"),
    lambda at: Jsonl(Path(), path=f"{at}/c.jsonl.gz"),
    lambda at: Parquet(Path(), path=f"{at}/d.parquet"),
    lambda at: Plain(Path(), path=f"{at}/a.de"),
    lambda at: Columns(Path(), path=f"{at}/a.tsv"),
    lambda at: Shards(Path(), paths=[f"{at}/*.tsv", f"{at}/*.jsonl*", f"{at}/d*"]),
]


@pytest.mark.parametrize("reader", READERS)
def test_a_url_reads_like_a_file(
    reader: Callable[[str], Reader], files: Path, upload: Upload
) -> None:
    here, there = reader(str(files)), reader(url := upload(files))
    assert [e.sources for e in there.read()] == [e.sources for e in here.read()]
    assert [e.references for e in there.read()] == [e.references for e in here.read()]
    assert there.fingerprint() == here.fingerprint()
    origins = [e.origin for e in here.read()]
    assert [e.origin for e in there.read()] == [o.replace(str(files), url) for o in origins]
    assert [e.sources for e in reader(f"file://{files}").read()] == [e.sources for e in here.read()]


def test_a_stream_of_urls_has_the_batches_of_a_stream_of_files(
    tmp_path: Path, upload: Upload
) -> None:
    (folder := tmp_path / "data").mkdir()
    for n in range(3):
        rows = "".join(f"{n}:{i}\t{'ab'[i % 2]}\n" for i in range(20))
        (folder / f"{n}.tsv").write_text(rows)

    def batches(at: str) -> list[Any]:
        corpus = {"kind": "shards", "paths": [f"{at}/*.tsv"]}
        stream = {"kind": "streamed", "corpus": corpus, "buffer": 20, "sample": 30}
        recipe = small.recipe(data={**small.recipe().plain()["data"], "train": stream})
        found = training_batches(recipe, prepare(recipe, Path()))
        plan, rows, n = found.epoch(0), list[Any](), 0
        while not plan.ends(n):
            rows.append(found.batch(plan[n], 0).source.values.tolist())
            n += 1
        return rows

    url = upload(folder)
    assert len(batches(url)) > 1
    assert batches(url) == batches(str(folder))
    streamed = Streamed(Path(), corpus=Part(Reader, "shards", {"paths": [f"{url}/*.tsv"]}))
    assert streamed.head().estimate() == 60


def test_no_url_is_no_remote_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_remote, "_found", _refuse)
    for name in ("a.tsv", "c:/a.tsv", "~/a.tsv", "a:/b", f"file://{tmp_path}/a"):
        path = address(tmp_path, name)
        assert not is_there(path)
        assert matching(path) == []
    assert address(tmp_path, "") == Path()


def _refuse(*_: object) -> None:
    raise AssertionError("a connection")


def test_a_recipe_is_read_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_remote, "_found", _refuse)
    reader = Part(Reader, "tsv", {"path": "s3://bucket/a.tsv.gz"}).build(Path("root"))
    assert str(reader.paths[0]) == "s3://bucket/a.tsv.gz"
    assert (reader.paths[0].suffix, str(reader.paths[0].parent)) == (".gz", "s3://bucket")
    assert str(Jsonl(Path(), path="https://h/a.jsonl?v=1").paths[0]) == "https://h/a.jsonl?v=1"


def test_what_is_not_there_is_named_with_the_key_of_the_recipe(files: Path, upload: Upload) -> None:
    url = upload(files)
    paths = [f"{url}/*.tsv", f"{url}/none*.tsv"]
    (said,) = missing_files({"data.train": Part(Reader, "shards", {"paths": paths})})
    assert said == (f"{url}/none*.tsv: no such file; reader shards needs it (data.train.paths).")
    with pytest.raises(DataError, match=r"memory://corpus/x.tsv: no such file; expected text"):
        list(Tsv(Path(), path=f"{url}/x.tsv").read())
    assert size_of(address(Path(), f"{url}/a.de")) == 4


def test_a_broken_line_is_named_with_its_url(files: Path, upload: Upload) -> None:
    (files / "a.tsv").write_bytes(b"a\tb\n\xff\tb\n")
    (files / "c.jsonl.gz").write_bytes(gzip.compress(b"x" * 5000)[:20])
    url = upload(files)
    with pytest.raises(DataError, match=r"memory://corpus/a.tsv:2: byte 1 of the line is 0xff"):
        list(Tsv(Path(), path=f"{url}/a.tsv").read())
    with pytest.raises(DataError, match=r"memory://corpus/c.jsonl.gz: not a whole gzip file"):
        list(Jsonl(Path(), path=f"{url}/c.jsonl.gz").read())


def test_a_connection_that_breaks_is_named(
    files: Path, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = upload(files)
    path = address(Path(), f"{url}/a.tsv")

    def fail(*_: object, **__: object) -> None:
        raise TimeoutError("no answer\nin 5 s")

    for name in ("open", "exists", "size", "glob"):
        monkeypatch.setattr(MemoryFileSystem, name, fail)
    match = r"memory://corpus/a.tsv: cannot be read \(no answer in 5 s\); expected a file"
    for work in (lambda: list(Tsv(Path(), path=str(path)).read()), lambda: is_there(path)):
        with pytest.raises(DataError, match=match):
            work()
    with pytest.raises(DataError, match=match):
        size_of(path)
    with pytest.raises(DataError, match=r"corpus/\*: cannot be read \(no answer"):
        matching(path.with_name("*"))


def test_a_file_that_breaks_while_it_is_read_is_named() -> None:
    class Broken:
        def read(self, n: int) -> bytes:
            raise OSError("reset by peer")

    raw = _remote._Raw(address(Path(), "s3://b/a.tsv"), Broken())
    with pytest.raises(DataError, match=r"s3://b/a.tsv: cannot be read \(reset by peer\)"):
        raw.readinto(bytearray(3))


@pytest.mark.parametrize(
    ("lacking", "url", "said"),
    [
        ("fsspec.core", "s3://b/a", r"s3://b/a: is a URL, and the package fsspec is not installed"),
        ("s3fs", "s3://b/a", r"s3://b/a: the package that reads s3:// is not installed \(Install"),
        ("none", "odd://b/a", r"odd://b/a: fsspec cannot take this URL \(Protocol not known: odd"),
    ],
)
def test_a_package_that_is_missing_is_named(
    lacking: str, url: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(DataError, match=said):
        list(Plain(Path(), path=url).read())


def test_a_url_with_a_password_or_empty_parts_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        address(Path(), "https://me:secret@host/a.tsv")
    assert str(caught.value).startswith("https://...@host/a.tsv: holds a password, and recipes")
    assert "secret" not in str(caught.value)
    with pytest.raises(
        RecipeError, match=r"s3://b//a.tsv: means s3://b/a.tsv here; expected a URL"
    ):
        address(Path(), "s3://b//a.tsv")


def test_readers_of_files_of_this_machine_say_so() -> None:
    with pytest.raises(
        RecipeError, match=r"s3://b/c.tsv: is a URL, and this reader reads files of"
    ):
        Captions(Path(), images="pictures", captions="s3://b/c.tsv")
