"""A folder of clips with captions."""

from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._clip import ClipFile
from saccade.parts import Part
from saccade.readers.base import Reader

TSV = "a.gif\tit falls\nwalk\tit walks\na.gif\tit drops\n"


def reader(root: Path, **options: object) -> Reader:
    return Part(Reader, "clips", {"clips": "clips", "captions": "c.tsv", **options}).build(root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "clips" / "walk").mkdir(parents=True)
    (tmp_path / "clips" / "walk" / "1.png").write_bytes(b"one")
    (tmp_path / "clips" / "a.gif").write_bytes(b"gif")
    (tmp_path / "c.tsv").write_text(TSV)
    return tmp_path


def test_an_example_is_a_clip_with_all_that_is_said_of_it(root: Path) -> None:
    one, other = reader(root, rate=5.0).read()
    assert one.source == ClipFile(root / "clips" / "a.gif", "a.gif", 5.0)
    assert one.references == ("it falls", "it drops")
    assert one.origin == f"{root / 'c.tsv'}:1"
    assert (str(other.source), other.references) == ("walk", ("it walks",))


def test_a_split_names_its_clips(root: Path) -> None:
    (root / "s.txt").write_text("walk\n")
    (only,) = reader(root, split="s.txt").read()
    assert str(only.source) == "walk"
    (root / "s.txt").write_text("walk\nlost.gif\n")
    with pytest.raises(DataError, match=r"c.tsv: says nothing of 1 clips of .*s.txt, such as lost"):
        list(reader(root, split="s.txt").read())


def test_the_content_counts_and_the_place_does_not(root: Path) -> None:
    before = reader(root).fingerprint()
    assert reader(root).fingerprint() == before
    assert reader(root, rate=2.0).fingerprint() != before
    (root / "clips" / "walk" / "1.png").write_bytes(b"other")
    after = reader(root).fingerprint()
    assert after != before
    (root / "clips" / "walk" / "2.png").write_bytes(b"more")
    assert reader(root).fingerprint() not in (before, after)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no tab", r"c.tsv:1: found 'no tab'; expected the name of a clip, a tab"),
        ("../a.gif\tx", r"c.tsv:1: the clip is called '../a.gif'; expected a name inside"),
        ("/etc/passwd\tx", r"c.tsv:1: the clip is called '/etc/passwd'; expected a name inside"),
        ("b.gif\tx", r"c.tsv:1: .*b.gif: no such clip; expected a file or a folder of frames"),
    ],
)
def test_lines_that_cannot_be_are_refused(root: Path, line: str, said: str) -> None:
    (root / "c.tsv").write_text(line + "\n")
    with pytest.raises(DataError, match=said):
        list(reader(root).read())


def test_a_folder_that_is_not_there(root: Path) -> None:
    with pytest.raises(DataError, match=r"films: no such folder; expected the clips that .*c.tsv"):
        list(reader(root, clips="films").read())
    with pytest.raises(
        RecipeError, match=r"clips.rate: found -1; expected 0 to 1000 frames a seco"
    ):
        reader(root, rate=-1.0)
