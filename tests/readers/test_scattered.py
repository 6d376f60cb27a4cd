"""Pictures on a larger canvas, at places of chance."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.scattered import Scattered
from tests.readers.test_idx import idx


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").write_bytes(idx(5, 4, 4, start=1))
    (tmp_path / "labels").write_bytes(idx(5))
    return tmp_path


def reader(folder: Path, **options: int) -> Scattered:
    corpus = Part(Reader, "idx", {"images": "images", "labels": "labels"})
    return Scattered(folder, corpus=corpus, **options)


def test_the_picture_lies_in_its_box_and_nowhere_else(folder: Path) -> None:
    for one in reader(folder, canvas=9).read():
        left, top, right, bottom = one.source.regions["picture"]
        there = one.source.pixels[top:bottom, left:right]
        assert there.shape == (4, 4, 3)
        assert one.source.pixels.shape == (9, 9, 3)
        assert one.source.pixels.sum() == there.sum() > 0


def test_clutter_adds_pieces_of_others(folder: Path) -> None:
    plain = [one.source.pixels for one in reader(folder, canvas=12).read()]
    among = [one.source.pixels for one in reader(folder, canvas=12, clutter=3, piece=2).read()]
    assert all((a >= p).all() for p, a in zip(plain, among, strict=True))
    assert any((a > p).any() for p, a in zip(plain, among, strict=True))


def test_all_who_read_it_see_the_same(folder: Path) -> None:
    first, second = (list(reader(folder, canvas=12, clutter=1, piece=2).read()) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a.source.pixels, b.source.pixels)


def test_versions_lie_at_other_places(folder: Path) -> None:
    found = list(reader(folder, canvas=40, versions=3).read())
    assert [one.target for one in found] == ["0", "1", "2", "3", "4"] * 3
    assert len({one.source.regions["picture"] for one in found[::5]}) > 1
    assert reader(folder, versions=3).count() == 15


def test_options_change_the_fingerprint(folder: Path) -> None:
    options: list[dict[str, int]] = [{}, {"canvas": 61}, {"clutter": 1}, {"seed": 2}]
    assert len({reader(folder, **one).fingerprint() for one in options}) == 4


def test_a_picture_larger_than_the_canvas_is_refused(folder: Path) -> None:
    with pytest.raises(DataError, match=r"4 x 4 pixels; expected at most 3 each way"):
        list(reader(folder, canvas=3, piece=1).read())


def test_absurd_options_are_refused(folder: Path) -> None:
    with pytest.raises(RecipeError, match=r"scattered\.canvas: found 2000; expected 1 to 1024"):
        reader(folder, canvas=2000)
