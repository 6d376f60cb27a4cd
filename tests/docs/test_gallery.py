"""The gallery shows every view, and its pictures are there, small and sound."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from saccade.inspections.base import FIRST, Inspection
from saccade.parts import kinds

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
PICTURES = re.findall(r"\]\((pictures/gallery/[^)]+)\)", PAGE)
COMMANDS = [line for line in PAGE.splitlines() if line.startswith("saccade ")]


def test_every_view_has_an_entry() -> None:
    shown = {view for view in kinds(Inspection) if f"--view {view}" in PAGE}
    shown |= {FIRST, "output", "gradients"}  # drawn by default, the last by its own verb
    assert sorted(shown) == kinds(Inspection)


def test_every_command_draws_a_picture_of_the_page() -> None:
    drawn = {line.rpartition(" ")[2] for line in COMMANDS}
    assert drawn <= {Path(picture).name for picture in PICTURES}


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_there_small_and_sound(picture: str) -> None:
    path = DOCS / picture
    assert path.stat().st_size < 150_000
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"(?<![\w.])/(home|tmp|work)/", path.read_text(encoding="utf-8"))


def test_no_picture_is_left_over() -> None:
    there = {f"pictures/gallery/{path.name}" for path in (DOCS / "pictures" / "gallery").iterdir()}
    assert there == set(PICTURES)


def test_the_front_page_leads_here() -> None:
    front = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "docs/gallery.md" in front
