from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError
from saccade.modalities._picture import PictureFile
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.illustrated import Illustrated

PAIRS = Part(Reader, "pairs", {"pairs": [["a dog", "un chien"], ["a cat", "un chat"], ["x", "y"]]})
NAMES = ["12.jpg", "7.jpg", "99.jpg"]


def reader(tmp_path: Path, names: list[str] = NAMES, **options: Any) -> Illustrated:
    folder = tmp_path / "images"
    folder.mkdir(exist_ok=True)
    for name in ("12_ab.jpg", "7_0.jpg", "8_c.jpg"):
        if not (folder / name).exists():
            (folder / name).write_bytes(name.encode())
    (tmp_path / "names.txt").write_text("".join(f"{one}\n" for one in names), encoding="utf-8")
    options = {"corpus": PAIRS, "names": "names.txt", "images": "images", **options}
    return Illustrated(tmp_path, **options)


def test_photos_are_found_by_their_number(tmp_path: Path) -> None:
    found = list(reader(tmp_path, match="number", missing="skip").read())
    assert [(e.sources["text"], e.target, e.origin) for e in found] == [
        ("a dog", "un chien", "pairs:1"),
        ("a cat", "un chat", "pairs:2"),
    ]
    folder = tmp_path / "images"
    assert [e.sources["picture"] for e in found] == [
        PictureFile(folder / "12_ab.jpg", "12_ab.jpg"),
        PictureFile(folder / "7_0.jpg", "7_0.jpg"),
    ]


def test_or_by_their_whole_name(tmp_path: Path) -> None:
    names = ["8_c.jpg", "12_ab.jpg", "8_c.jpg"]
    found = [str(e.sources["picture"]) for e in reader(tmp_path, names).read()]
    assert found == names


def test_the_fingerprint_knows_what_is_read(tmp_path: Path) -> None:
    options: dict[str, Any] = {"match": "number", "missing": "skip"}
    first = reader(tmp_path, **options).fingerprint()
    assert reader(tmp_path, **options).fingerprint() == first
    assert reader(tmp_path, ["12.jpg", "8.jpg", "99.jpg"], **options).fingerprint() != first
    (tmp_path / "images" / "8_c.jpg").write_bytes(b"not used")
    assert reader(tmp_path, **options).fingerprint() == first
    (tmp_path / "images" / "7_0.jpg").write_bytes(b"another photo")
    assert reader(tmp_path, **options).fingerprint() != first


def test_what_it_refuses(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"names.txt:1: '12.jpg' is not in .*images; expected the"):
        list(reader(tmp_path).read())
    skip: dict[str, Any] = {"missing": "skip", "match": "number"}
    with pytest.raises(DataError, match="has 2 names for more than 2 examples; expected one each"):
        list(reader(tmp_path, NAMES[:2], **skip).read())
    with pytest.raises(DataError, match="has 4 names for 3 examples; expected one each"):
        list(reader(tmp_path, [*NAMES, "1.jpg"], **skip).read())
    with pytest.raises(DataError, match=r"none of its 3 pictures is in .*images; expected some"):
        list(reader(tmp_path, ["1.jpg", "2.jpg", "3.jpg"], **skip).read())
    with pytest.raises(DataError, match=r"nowhere: no such folder; expected the pictures that"):
        list(reader(tmp_path, images="nowhere").read())
