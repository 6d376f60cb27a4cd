"""The doctor counts pictures: missing, broken, without captions, odd sizes, the same twice."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.look.captions import examine_captions
from saccade.look.doctor import Finding
from saccade.modalities import _png
from saccade.readers.captions import Captions

NAMES = [f"{n}.png" for n in range(20)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p").mkdir()
    for n, name in enumerate(NAMES):
        save(tmp_path, name, n)
    (tmp_path / "t.tsv").write_text("".join(f"{n}\tone\n{n}\ttwo\n" for n in NAMES))
    return tmp_path


def save(folder: Path, name: str, shade: int, height: int = 40, width: int = 60) -> None:
    pixels = np.full((height, width, 3), shade, dtype=np.uint8)
    (folder / "p" / name).write_bytes(_png.encode(pixels))


def examined(folder: Path, **options: Any) -> list[Finding]:
    reader = Captions(folder, images="p", captions="t.tsv", **options)
    return examine_captions({"data.train": reader})


def named(found: list[Finding], text: str) -> Finding:
    return next(one for one in found if text in one.text)


def test_sound_pictures_are_counted_and_measured(folder: Path) -> None:
    found = examined(folder)
    assert [one.text for one in found] == [
        "data.train: 20 pictures with 40 captions, 2.0 each",
        "data.train: pictures have 40 to 60 pixels each way, usually 60 x 40",
    ]
    assert {one.level for one in found} == {"good"}


def test_captions_without_picture_stop_it_unless_they_are_skipped(folder: Path) -> None:
    (folder / "p" / "3.png").unlink()
    (folder / "p" / "4.png").write_bytes(b"")
    (folder / "p" / "5.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    one = named(examined(folder), "3 pictures (15.0%) that captions name are missing, empty or")
    assert one.stops
    assert one.level == "warning"
    places = [Path(place.partition(": ")[0]).name for place in one.places]
    assert places == ["3.png", "4.png", "5.png"]
    found = examined(folder, missing="skip")
    assert not named(found, "broken, and skipped").stops
    assert named(found, "each way").level == "good"


def test_what_no_reader_can_begin_with_stops_it(folder: Path) -> None:
    (folder / "names.txt").write_text("none.png\n")
    (one,) = examined(folder, split="names.txt")
    assert one.stops
    assert "1 of 1 pictures have no caption" in one.text


def test_odd_sizes_and_duplicates_are_named(folder: Path) -> None:
    save(folder, "7.png", 6)
    save(folder, "8.png", 8, 10, 40)
    found = examined(folder)
    assert named(found, "1 pictures (5.0%) are the same as another").places == ("7.png = 6.png",)
    assert named(found, "have less than 32 pixels on a side").places == ("8.png",)
    assert named(found, "over 3 times as long as wide").places == ("8.png",)


def test_pictures_that_nobody_reads_are_counted(folder: Path) -> None:
    save(folder, "more.png", 99)
    (folder / "names.txt").write_text("\n".join(NAMES[:15]))
    found = examined(folder, split="names.txt")
    assert named(found, "1 pictures (4.8%) have no captions in t.tsv").places == ("more.png",)
    assert "5 pictures (23.8%) have captions and are in no split" in found[-1].text
    assert found[-1].level == "note"
    rest = folder / "rest.txt"
    rest.write_text("\n".join(NAMES[15:]))
    both = {
        split: Captions(folder, images="p", captions="t.tsv", split=split)
        for split in ("names.txt", "rest.txt")
    }
    assert not any("in no split" in one.text for one in examine_captions(both))


def test_parts_of_one_corpus_are_looked_at_once(folder: Path) -> None:
    several = {key: Captions(folder, images="p", captions="t.tsv") for key in ("train", "valid")}
    found = examine_captions(several)
    assert [one.text.partition(":")[0] for one in found] == ["train, valid"] * 2


def test_lines_of_print_are_measured_as_lines(folder: Path) -> None:
    save(folder, "7.png", 77, 10, 90)
    save(folder, "8.png", 88, 60, 30)
    reader = Captions(folder, images="p", captions="t.tsv")
    found = examine_captions({"data.train": reader}, lines=True)
    assert found[1].text == (
        "data.train: lines are 10 to 60 pixels high, usually 40, and 30 to 90 wide"
    )
    assert named(found, "are less than 16 pixels high").places == ("7.png",)
    assert named(found, "are higher than wide").places == ("8.png",)
    assert len(found) == 4
