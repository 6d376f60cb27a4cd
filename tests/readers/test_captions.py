"""Pictures with their captions, from every form of file that is in use."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities import _png
from saccade.modalities._picture import PictureFile, as_picture
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.captions import Captions
from saccade.readers.split import Split

TEXTS = {"a.png": ("a red dot", "a dot"), "b/c.png": ("a blue dot",)}
FORMS = {
    "flickr8k": ("t.txt", "a.png#0\ta red dot\nb/c.png#0\ta blue dot\na.png#1\ta dot\n"),
    "tsv": ("t.tsv", "a.png\ta red dot\nb/c.png\ta blue dot\nmore\n\na.png\ta dot\n"),
    "csv": ("t.csv", 'image,caption\na.png,"a red dot"\n\nb/c.png,a blue dot\na.png,a dot\n'),
    "jsonl": (
        "t.jsonl",
        '{"image": "a.png", "captions": ["a red dot", "a dot"]}\n\n'
        '{"file_name": "b/c.png", "caption": "a blue dot"}\n',
    ),
    "coco": (
        "t.json",
        json.dumps(
            {
                "images": [{"id": 7, "file_name": "a.png"}, {"id": "x", "file_name": "b/c.png"}],
                "annotations": [
                    {"image_id": 7, "caption": "a red dot"},
                    {"image_id": "x", "caption": "a blue dot"},
                    {"image_id": 7, "caption": "a dot"},
                ],
            }
        ),
    ),
    "karpathy": (
        "k.json",
        json.dumps(
            {
                "images": [
                    {
                        "filename": "a.png",
                        "split": "train",
                        "sentences": [{"raw": "a red dot"}, {"raw": "a dot"}],
                    },
                    {
                        "filename": "c.png",
                        "filepath": "b",
                        "split": "restval",
                        "sentences": [{"raw": "a blue dot"}],
                    },
                ]
            }
        ),
    ),
}
FORMS["tsv"] = (FORMS["tsv"][0], FORMS["tsv"][1].replace("more\n", ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p" / "b").mkdir(parents=True)
    for n, name in enumerate(TEXTS):
        data = _png.encode(np.full((3, 4, 3), n, dtype=np.uint8))
        (tmp_path / "p" / name).write_bytes(data)
    return tmp_path


def reader(folder: Path, text: str = "", name: str = "t.tsv", **options: Any) -> Captions:
    if text:
        (folder / name).write_text(text, encoding="utf-8")
    return Captions(folder, images="p", captions=name, **options)


def found(one: Captions) -> dict[str, tuple[str, ...]]:
    return {str(example.source): example.references for example in one.read()}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("told", [False, True])
def test_every_form_is_read_and_grouped_by_picture(folder: Path, form: Any, told: bool) -> None:
    name, text = FORMS[form]
    one = reader(folder, text, name, format=form if told else "auto")
    assert found(one) == TEXTS
    first, second = one.read()
    assert isinstance(first.source, PictureFile)
    assert as_picture(second.source).pixels.max() == 1
    assert first.origin.startswith(str(folder / name))
    assert len(one.fingerprint()) == 32


def test_captions_that_hold_commas_are_whole(folder: Path) -> None:
    text = 'image,caption\na.png,"one, ""two"""\na.png,three, four .\n'
    assert found(reader(folder, text, "t.csv"))["a.png"] == ('one, "two"', "three, four .")


def test_a_split_names_the_pictures_to_read(folder: Path) -> None:
    (folder / "names.txt").write_text("b/c.png\r\n\n", encoding="utf-8")
    one = reader(folder, FORMS["tsv"][1], split="names.txt")
    assert found(one) == {"b/c.png": TEXTS["b/c.png"]}
    assert one.paths == (folder / "t.tsv", folder / "names.txt")
    assert one.fingerprint() != reader(folder).fingerprint()


def test_a_part_of_karpathys_file_is_read(folder: Path) -> None:
    name, text = FORMS["karpathy"]
    assert list(found(reader(folder, text, name, part="train"))) == ["a.png"]
    assert found(reader(folder, text, name, part="train+restval")) == TEXTS
    with pytest.raises(DataError, match=r"k\.json: names no picture of split 'test'; expected som"):
        found(reader(folder, text, name, part="test"))


def test_pictures_that_are_not_there_are_refused_or_skipped(folder: Path) -> None:
    text = FORMS["tsv"][1] + "".join(f"{c}.png\tlost\n" for c in "defg")
    (folder / "p" / "d.png").touch()
    (folder / "p" / "e.png").write_bytes(_png.encode(np.zeros((9, 9, 3), np.uint8))[:45])
    said = r"t\.tsv:5: .*d\.png: the file is empty; .* 3 of 6 pictures .*d\.png, f\.png, g\.png\."
    with pytest.raises(DataError, match=said):
        found(reader(folder, text))
    assert found(reader(folder, missing="skip")) == TEXTS
    assert reader(folder, missing="skip").skipped() == (
        "4 of 6 pictures are missing, empty or broken, and skipped: d.png, e.png, f.png and 1 more."
    )
    assert reader(folder).skipped() == ""
    (folder / "t.tsv").write_text("d.png\tx\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"none of its 1 pictures can be read from .*is empty"):
        found(reader(folder, missing="skip"))


def test_a_name_without_caption_is_refused_or_skipped(folder: Path) -> None:
    (folder / "names.txt").write_text("b/c.png\nx.png\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"names\.txt: 1 of 2 pictures have no caption .*: x\.png;"):
        found(reader(folder, FORMS["tsv"][1], split="names.txt"))
    assert list(found(reader(folder, split="names.txt", missing="skip"))) == ["b/c.png"]


@pytest.mark.parametrize(
    "name", ["../a.png", "/etc/passwd", "b/../../a", "C:\\a.png", "..\\a.png", " "]
)
def test_names_that_lead_out_of_the_folder_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"t\.tsv:1: the picture is called .* a name inside the f"):
        found(reader(folder, f"{name}\ta dot\n" if name.strip() else "\ta dot\nb\tc\n"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.txt", "a.png#0\tx\na.png y\n", r"t\.txt:2: found 'a\.png y'; expected name\.jpg#0, a"),
        ("t.tsv", "a.png\tx\nb\n", r"t\.tsv:2: found 'b'; expected the name of a picture, a tab"),
        ("t.tsv", "a.png\t \n", r"t\.tsv:1: the caption of a\.png is empty; expected words"),
        ("t.csv", "a.png,x\nb\n", r"t\.csv:2: found 'b'; expected the name of a picture, a comma"),
        ("t.txt", "what is this\n", r"t\.txt:1: found 'what is this'; expected the name of a pict"),
        ("t.jsonl", "{\n", r"t\.jsonl:1: not JSON"),
        ("t.jsonl", "[1]\n", r"t\.jsonl:1: found '\[1\]'; expected an object"),
        ("t.jsonl", '{"image": 3, "caption": ""}\n', r"t\.jsonl:1: found 3; expected text"),
        ("t.jsonl", '{"x": 3}\n', r"t\.jsonl:1: has the keys x; expected 'image', or one of"),
        ("t.jsonl", '{"image": "a", "caption": "\\ud800"}\n', r"t\.jsonl:1: holds half a charact"),
        ("t.json", "[]", r"t\.json: holds a list; expected an object with images and annotations"),
        ("t.json", "[" * 100_000, r"t\.json: not JSON"),
        ("t.json", "{}", r"t\.json: 'images' is null; expected a list"),
        ("t.json", '{"images": [{"id": 1}]}', r"images\[0\]: has no 'file_name': .* Mend the fil"),
        (
            "t.json",
            '{"images": [], "annotations": [{"image_id": [3], "caption": "x"}]}',
            r"annotations\[0\]: its image_id \[3\] is not among the images",
        ),
    ],
)
def test_what_is_malformed_is_named(folder: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        found(reader(folder, text, name))


def test_a_folder_that_is_not_there_is_named(folder: Path) -> None:
    one = Captions(folder, images="none", captions="t.tsv")
    with pytest.raises(DataError, match=r"none: no such folder; expected the pictures that .*t\.t"):
        list(one.read())


def test_the_fingerprint_is_that_of_the_content(folder: Path) -> None:
    before = reader(folder, FORMS["tsv"][1]).fingerprint()
    assert reader(folder).fingerprint() == before
    (folder / "p").rename(folder / "q")
    moved = Captions(folder, images="q", captions="t.tsv")
    assert moved.fingerprint() == before
    data = bytearray((folder / "q" / "a.png").read_bytes())
    data[-1] ^= 1
    (folder / "q" / "a.png").write_bytes(data)
    assert moved.fingerprint() != before


def test_pictures_fall_into_parts_by_their_name(folder: Path) -> None:
    names = [f"{n}.png" for n in range(60)]
    for n, name in enumerate(names):  # two names of each picture
        (folder / "p" / name).write_bytes(_png.encode(np.full((1, 1, 3), n // 2, np.uint8)))
    (folder / "t.tsv").write_text("".join(f"{n}\tx\n" * 2 for n in names), encoding="utf-8")
    corpus = Part(Reader, "captions", {"images": "p", "captions": "t.tsv"})
    parts: dict[str, list[Example]] = {
        part: list(Split(folder, corpus=corpus, part=part, valid=0.2, test=0.2).read())
        for part in ("train", "valid", "test")
    }
    seen = [str(example.source) for part in parts.values() for example in part]
    assert sorted(seen) == sorted(names)
    assert all(parts.values())
    pictures = [{example.source.digest for example in part} for part in parts.values()]
    assert sum(map(len, pictures)) == len(set.union(*pictures)) == 30


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """Write three lines of print as OCRopus does, one of them twice, and one without text."""
    (tmp_path / "p" / "0001").mkdir(parents=True)
    for n, name in enumerate(("0001/b.png", "0001/b.bin.png", "a.jpg", "c.png", "bare.png")):
        data = _png.encode(np.full((3, 4, 3), n, dtype=np.uint8))
        (tmp_path / "p" / name).write_bytes(data)
    for name, text in {"0001/b": "ein Haus\n", "a": "der Hund", "c": " die\nKatze \n"}.items():
        (tmp_path / "p" / f"{name}.gt.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_texts_beside_pictures_are_read(lines: Path) -> None:
    one = Captions(lines, images="p", format="beside")
    assert found(one) == {
        "0001/b.bin.png": ("ein Haus",),
        "a.jpg": ("der Hund",),
        "c.png": ("die Katze",),
    }
    assert one.paths == (lines / "p",)
    before = one.fingerprint()
    (lines / "p" / "a.gt.txt").write_text("der Hut", encoding="utf-8")
    assert one.fingerprint() != before


def test_a_text_without_picture_is_refused_or_skipped(lines: Path) -> None:
    (lines / "p" / "lost.gt.txt").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=r"lost\.gt\.txt: .*lost\.png: no such file; .* 1 of 4 pi"):
        found(Captions(lines, images="p", format="beside"))
    one = Captions(lines, images="p", format="beside", missing="skip")
    assert len(found(one)) == 3
    assert one.skipped().startswith("1 of 4 pictures are missing, empty or broken, and skipped")


def test_plain_endings_do_where_there_are_no_others(lines: Path) -> None:
    for name in ("0001/b", "a", "c"):
        (lines / "p" / f"{name}.gt.txt").rename(lines / "p" / f"{name}.txt")
    assert len(found(Captions(lines, images="p", format="beside"))) == 3


def test_endings_may_be_capitals(lines: Path) -> None:
    (lines / "p" / "a.jpg").rename(lines / "p" / "a.JPG")
    assert "a.JPG" in found(Captions(lines, images="p", format="beside"))


def test_an_empty_text_is_refused(lines: Path) -> None:
    (lines / "p" / "a.gt.txt").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.gt\.txt: the file is empty"):
        found(Captions(lines, images="p", format="beside"))


def test_names_are_texts(lines: Path) -> None:
    one = Captions(lines, images="p", format="names")
    assert list(found(one).values()) == [("b.bin",), ("b",), ("a",), ("bare",), ("c",)]
    assert list(found(one))[-1] == "c.png"


def test_a_file_beside_a_format_of_folders_is_refused(lines: Path) -> None:
    with pytest.raises(RecipeError, match="format names takes texts from the folder, but captions"):
        Captions(lines, images="p", captions="t.tsv", format="names")


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    with pytest.raises(DataError, match=r"p: names no picture; expected some"):
        found(Captions(tmp_path, images="p", format="beside"))


def test_pictures_are_counted_and_one_name_each_is_held(tmp_path: Path) -> None:
    name, text = FORMS["tsv"]
    (tmp_path / name).write_text(text.replace("more\n", ""), encoding="utf-8")
    reader = Captions(tmp_path, images=".", captions=name)
    assert reader.count() == 2
    first, second = reader.grouped()["a.png"]
    assert (first.text, second.text) == TEXTS["a.png"]
    assert second.image is first.image
    assert second.where is first.where
    (tmp_path / "split.txt").write_text("b/c.png\n", encoding="utf-8")
    assert Captions(tmp_path, images=".", captions=name, split="split.txt").count() == 1
