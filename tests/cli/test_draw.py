"""Pictures of a model that draws, on the command line, in a notebook and in its report."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.modalities._picture import PREFIX, from_text
from saccade.predict.prediction import Predictions
from tests.cli.conftest import Call
from tests.drawers import BITS, drawer
from tests.views.pictures import parts


@pytest.fixture(scope="module")
def artist(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return drawer(tmp_path_factory.mktemp("artist"))


@pytest.fixture(scope="module")
def folder(artist: Any) -> Path:
    return Path(artist.folder)


def drawn(path: Path) -> Any:
    """Return the pixels of the only picture in an SVG file."""
    (image,) = parts(path.read_text(encoding="utf-8"), "image")
    return from_text(image.get("href", "")).pixels[:, :, 0] > 0


def test_predict_draws_what_it_would_write(call: Call, folder: Path, tmp_path: Path) -> None:
    for how in ((), ("--sample", "--seed", "7")):
        said = call("predict", folder, "3", *how)
        rows = [[bit == "1" for bit in row] for row in said.out.split()]
        assert call("predict", folder, "3", *how, "-o", tmp_path / "a.svg").code == 0
        assert np.array_equal(drawn(tmp_path / "a.svg"), rows)
    assert call("predict", folder, "3", "-o", tmp_path / "a.txt").code == 0
    assert (tmp_path / "a.txt").read_text(encoding="utf-8").split()[0].strip("01") == ""


def test_several_outputs_are_one_picture(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("predict", folder, "3", "1", "-o", tmp_path / "both.svg")
    assert said.code == 0
    assert len(parts((tmp_path / "both.svg").read_text(encoding="utf-8"), "image")) == 2
    many = call("predict", folder, *["3"] * 65, "-o", tmp_path / "many.svg")
    assert many.code == 2
    assert "more than 64 outputs for one picture" in many.err
    assert not (tmp_path / "many.svg").exists()
    (tmp_path / "empty").touch()
    none = call("predict", folder, "-i", tmp_path / "empty", "-o", tmp_path / "none.svg")
    assert "none.svg: nothing to draw; expected a line" in none.err


def test_a_png_is_a_png(call: Call, folder: Path, tmp_path: Path) -> None:
    from PIL import Image  # noqa: PLC0415

    assert call("predict", folder, "3", "-o", tmp_path / "a.png").code == 0
    assert Image.open(io.BytesIO((tmp_path / "a.png").read_bytes())).format == "PNG"


def test_inspect_copies_an_example_and_invents(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("inspect", folder, "example:1", "--view", "canvas", "-o", tmp_path / "copy.svg")
    assert said.code == 0
    copy = (tmp_path / "copy.svg").read_text(encoding="utf-8")
    assert "to copy" in copy
    assert len(parts(copy, "image")) == 4
    invented = ("inspect", folder, "example:1", "--view", "canvas", "--seed", "4")
    assert call(*invented, "-o", tmp_path / "new.svg").code == 0
    assert "to copy" not in (tmp_path / "new.svg").read_text(encoding="utf-8")
    assert call(*invented).out != call(*invented[:-1], "5").out
    assert (
        "█" in call("inspect", folder, "example:1").out
        or "\n\n" in call("inspect", folder, "3").out
    )


def test_a_notebook_and_the_report_show_pictures(artist: Any, folder: Path) -> None:
    found = artist.whole().predict("3")
    assert "<image" in found._repr_html_()
    assert f'<img src="{PREFIX}' in Predictions([found])._repr_html_()
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert report.count("in the data") >= 3
    assert BITS not in report
    assert re.search(r"Sample 4: \d → \[picture\]", report)
