"""The verb that draws best and worst, and the verbs that read picture files."""

import re
from pathlib import Path

import pytest

from tests.captions import file_of, make_captions
from tests.cli.conftest import Call


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_captions(tmp_path_factory.mktemp("captions") / "seer")


def test_a_gallery_of_text(call: Call, work: Path) -> None:
    done = call("gallery", work / "model", "--metric", "chrf", "--n", "2", "-o", "g.html")
    assert (done.code, done.out.splitlines()[-1]) == (0, "g.html")
    page = Path("g.html").read_text("utf-8")
    assert page.count("<h3>") == 4
    assert page.count("<svg") == 4
    assert "un chat dort" in page


def test_a_gallery_of_pictures_lies_in_the_folder(call: Call, seer: Path) -> None:
    done = call("gallery", seer, "--n", "3")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == str(seer / "gallery.html")
    assert re.search(r"function words\W+\d+", done.out)
    page = (seer / "gallery.html").read_text("utf-8")
    assert page.count("<use ") > 10
    assert "exact match" in page.lower()


def test_a_gallery_is_html(call: Call, work: Path) -> None:
    done = call("gallery", work / "model", "-o", "g.pdf")
    assert done.code == 2
    assert "--output g.pdf: ends in '.pdf'; expected .html. Rename it." in done.err


def test_pictures_are_inspected_from_their_files(call: Call, seer: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(file_of("jpeg"))
    done = call("inspect", seer, "a.jpg", "--words")
    assert done.code == 0, done.err
    assert "[picture] → " in done.err
    assert "bits, top 5" in done.out
    beside = call("inspect", seer, "a.jpg", "--beside", seer, "--grid", "-o", "b.svg")
    assert beside.code == 0, beside.err
    assert "data-column" in Path("b.svg").read_text("utf-8")
    missing = call("inspect", seer, "none.jpg")
    assert (missing.code, "none.jpg: cannot be read" in missing.err) == (1, True)


def test_a_model_of_text_takes_no_files(call: Call, work: Path) -> None:
    done = call("predict", work / "model", "a.png")
    assert done.code == 2
    assert "a.png: " in done.err
    assert "reads no pictures or sounds, so no file can be named; expected lines." in done.err


def test_files_and_lines_do_not_mix(call: Call, seer: Path) -> None:
    done = call("predict", seer, "a.png", "-i", "lines.txt")
    assert "--input lines.txt: stands beside a.png; expected pictures or a file" in done.err


def test_the_two_maps_of_hard_attention(
    call: Call, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    hard = "{kind: rnn, hidden: 24, attention: hard}"
    place = tmp_path_factory.mktemp("captions") / "hard"
    make_captions(place, f"model.decoder={hard}", "training.max_steps=30")
    (tmp_path / "a.png").write_bytes(file_of("png"))
    done = call("inspect", place, "a.png", "--view", "heads")
    assert done.code == 0, done.err
    lines = done.out.split("\n")
    assert [line for line in lines if line in ("chosen", "probability")] == [
        "chosen",
        "probability",
    ]
    assert "0.0 bits, top 5 100%" in done.out  # one cell is chosen
