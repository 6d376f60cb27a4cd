"""MNIST's files: whole, damaged, and those of others."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.readers.idx import Idx


def idx(*shape: int, start: int = 0) -> bytes:
    numbers = (np.arange(int(np.prod(shape))) + start) % 256
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape) + bytes(numbers.tolist())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").write_bytes(idx(3, 2, 4))
    (tmp_path / "labels.gz").write_bytes(gzip.compress(idx(3, start=7)))
    return tmp_path


def reader(folder: Path, images: str = "images", labels: str = "labels.gz") -> Idx:
    return Idx(folder, images=images, labels=labels)


def test_it_reads_pictures_and_labels(folder: Path) -> None:
    found = list(reader(folder).read())
    assert [one.target for one in found] == ["7", "8", "9"]
    assert found[1].source.pixels.shape == (2, 4, 3)
    assert found[1].source.pixels[:, :, 0].tolist() == [[8, 9, 10, 11], [12, 13, 14, 15]]
    assert reader(folder).count() == 3


def test_ink_can_be_made_black(folder: Path) -> None:
    found = next(Idx(folder, images="images", labels="labels.gz", inverted=True).read())
    assert found.source.pixels[0, 1].tolist() == [254] * 3


def test_fewer_labels_than_pictures(folder: Path) -> None:
    (folder / "few").write_bytes(idx(2))
    with pytest.raises(DataError, match=r"has 3 pictures, but .*few has 2 labels"):
        list(reader(folder, labels="few").read())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "begins with nothing"),
        (b"\x89PNG\r\n" * 9, "begins with 89 50 4e 47; expected an IDX file"),
        (idx(3), "expected an IDX file of bytes with 3 dimensions"),
        (idx(3, 2, 4)[:-1], "announces 24 bytes and has 23"),
        (idx(3, 2, 4) + b"x", "announces 24 bytes and has more"),
        (struct.pack(">4B3I", 0, 0, 8, 3, 2**32 - 1, 2**32 - 1, 9), "announces 4,294,967,295 x"),
        (struct.pack(">4B3I", 0, 0, 8, 3, 0, 28, 28), "expected some"),
        (struct.pack(">4B3I", 0, 0, 8, 3, 1, 1, 20000), "at most 1024 pixels each way"),
    ],
)
def test_what_is_no_such_file_is_refused(folder: Path, data: bytes, message: str) -> None:
    (folder / "bad").write_bytes(data)
    with pytest.raises(DataError, match=message):
        list(reader(folder, images="bad").read())


def test_a_cut_archive_is_refused(folder: Path) -> None:
    whole = gzip.compress(idx(3, 20, 20))
    (folder / "cut.gz").write_bytes(whole[:-30])
    with pytest.raises(DataError, match="cannot be unpacked"):
        list(reader(folder, images="cut.gz").read())
