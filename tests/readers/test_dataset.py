"""Folders of `datasets`, read without it: shards in order, splits by name, nothing missing."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from saccade.data.files import missing_files
from saccade.errors import DataError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.dataset import Dataset


def save(folder: Path, *shards: dict[str, Any]) -> None:
    """Write what `save_to_disk` writes: Arrow streams, and a file that names them."""
    folder.mkdir(parents=True)
    names = [f"data-{i:05}-of-{len(shards):05}.arrow" for i in range(len(shards))]
    for name, columns in zip(names, shards, strict=True):
        table = pa.table(columns)
        with (
            pa.OSFile(str(folder / name), "wb") as file,
            pa.ipc.new_stream(file, table.schema) as out,
        ):
            out.write_table(table, max_chunksize=2)
    state = {"_data_files": [{"filename": name} for name in names], "_split": None}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text("{}")


def pairs(reader: Dataset) -> list[tuple[str, str]]:
    return [(e.source, e.target) for e in reader.read()]


def test_shards_are_read_in_order(tmp_path: Path) -> None:
    save(tmp_path / "d", {"en": ["a", "b", "c"], "fr": ["x", "y", "z"]}, {"en": ["d"], "fr": ["w"]})
    one = Dataset(tmp_path, path="d")
    assert pairs(one) == [("a", "x"), ("b", "y"), ("c", "z"), ("d", "w")]
    last = list(one.read())[-1]
    assert last.origin == f"{tmp_path}/d/data-00001-of-00002.arrow:1"
    assert one.names() == ["en", "fr"]


def test_splits_have_names(tmp_path: Path) -> None:
    for split, word in (("train", "a"), ("validation", "b")):
        save(tmp_path / "d" / split, {"translation": [{"en": word, "fr": word.upper()}]})
    (tmp_path / "d" / "dataset_dict.json").write_text('{"splits": ["train", "validation"]}')
    columns = {"source": "translation.en", "target": "translation.fr"}
    assert pairs(Dataset(tmp_path, path="d", **columns)) == [("a", "A")]
    assert pairs(Dataset(tmp_path, path="d", split="validation", **columns)) == [("b", "B")]
    with pytest.raises(DataError, match=r"d: no data set in it called 'validtion'\. Did you mean"):
        list(Dataset(tmp_path, path="d", split="validtion").read())


def test_features_and_columns_that_are_not_read(tmp_path: Path) -> None:
    rows = {"lemma": ["run"], "form": ["ran"], "tags": [["V", "PST"]]}
    save(tmp_path / "d", rows)
    one = Dataset(tmp_path, path="d", features="tags")
    assert pairs(one) == [("run\tV;PST", "ran")]
    assert one.unread() == []
    assert [u.column for u in Dataset(tmp_path, path="d").unread()] == ["tags"]
    assert one.fingerprint() != Dataset(tmp_path, path="d").fingerprint()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    save(tmp_path / "d", {"en": ["a"], "fr": ["x"]}, {"en": ["b"], "fr": ["y"]})
    (tmp_path / "d" / "data-00001-of-00002.arrow").unlink()
    with pytest.raises(
        DataError, match=r"d: 1 of 2 Arrow files are missing, the first is data-00001"
    ):
        list(Dataset(tmp_path, path="d").read())
    (tmp_path / "d" / "state.json").write_text("[")
    with pytest.raises(
        DataError, match=r"state\.json: not a JSON object; expected what save_to_dis"
    ):
        list(Dataset(tmp_path, path="d").read())
    with pytest.raises(
        DataError, match=r"none: no such folder; expected one that save_to_disk wro"
    ):
        list(Dataset(tmp_path, path="none").read())
    with pytest.raises(DataError, match="no such folder; expected one that save_to_disk wrote"):
        list(Dataset(tmp_path).read())
    part = Part(Reader, "dataset", {"path": "none"})
    (said,) = missing_files({"data.train": part}, tmp_path)
    assert "none: no such file; reader dataset needs it (data.train.path)" in said


def test_broken_files_are_named(tmp_path: Path) -> None:
    save(tmp_path / "d", {"en": ["a"], "fr": ["x"]})
    (tmp_path / "d" / "data-00000-of-00001.arrow").write_bytes(b"no Arrow")
    with pytest.raises(DataError, match=r"data-00000-of-00001\.arrow: cannot be read \("):
        list(Dataset(tmp_path, path="d").read())


def test_a_set_without_rows(tmp_path: Path) -> None:
    save(tmp_path / "d", {"en": pa.array([], pa.string()), "fr": pa.array([], pa.string())})
    with pytest.raises(DataError, match=r"d: no rows; expected some pairs\. Check path and split"):
        list(Dataset(tmp_path, path="d").read())


def test_what_the_package_itself_writes(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    labels = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["bad", "good"])}
    )
    rows = {"text": ["a", "b", "c"], "label": [1, 0, 1]}
    whole = datasets.Dataset.from_dict(rows, features=labels)
    parts = datasets.DatasetDict(train=whole, test=whole.select([1]))
    parts.save_to_disk(tmp_path / "d", num_shards={"train": 2, "test": 1})
    assert pairs(Dataset(tmp_path, path="d")) == [("a", "good"), ("b", "bad"), ("c", "good")]
    assert pairs(Dataset(tmp_path, path="d", split="test")) == [("b", "bad")]
