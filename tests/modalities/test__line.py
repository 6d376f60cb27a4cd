"""Lines of one height, and other lines of the same text."""

import random

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._line import LineAugmentation, as_line
from saccade.modalities._png import Pixels


def letters(height: int = 32, width: int = 90) -> Pixels:
    """Draw upright bars on white paper."""
    found = np.full((height, width), 255, np.uint8)
    for left in range(10, width - 10, 12):
        found[8:24, left : left + 4] = 0
    return found


def test_a_line_keeps_its_proportions() -> None:
    found = as_line(np.zeros((64, 300, 3), np.uint8), 32)
    assert found.shape == (32, 150, 3)
    assert as_line(np.zeros((64, 1, 3), np.uint8), 16).shape == (16, 1, 3)


def test_a_line_becomes_grey_once() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (32, 40, 3), dtype=np.uint8)
    once = as_line(pixels, 32)
    assert (once == once[:, :, :1]).all()
    assert np.array_equal(as_line(once, 32), once)
    assert abs(float(once[0, 0, 0]) - float(pixels[0, 0] @ [0.299, 0.587, 0.114])) <= 1


def test_a_line_that_gets_too_wide_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"^x:3: the line has 900 x 2 pixels, so it would be 14,400"
    ):
        as_line(np.zeros((2, 900, 3), np.uint8), 32, "x:3")


def test_nothing_changes_without_chances() -> None:
    assert not LineAugmentation().active
    assert np.array_equal(LineAugmentation().apply(letters(), random.Random(1)), letters())


def test_the_same_chance_gives_the_same_line() -> None:
    change = LineAugmentation(0.2, 0.2, 0.1, 1.0)
    one, same, other = (change.apply(letters(), random.Random(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert one.shape != other.shape or not np.array_equal(one, other)


def test_stretch_changes_the_width_only_so_far() -> None:
    change = LineAugmentation(stretch=0.2)
    widths = {change.apply(letters(), random.Random(seed)).shape[1] for seed in range(50)}
    assert 72 <= min(widths) < 80
    assert 100 < max(widths) <= 108


def test_shear_leans_letters_about_the_middle() -> None:
    seeds = range(20)
    lines = [LineAugmentation(shear=0.4).apply(letters(), random.Random(seed)) for seed in seeds]
    tops = [int(line[9, :20].argmin()) for line in lines]
    middles = [int(line[16, :20].argmin()) for line in lines]
    assert {abs(left - 10) <= 1 for left in middles} == {True}
    assert min(tops) < 9
    assert max(tops) > 11
    assert {line.shape for line in lines} == {(32, 90)}


def test_scale_makes_letters_lower_and_loses_none() -> None:
    def ink(line: Pixels) -> tuple[int, int]:
        rows = np.flatnonzero((line < 128).any(axis=1))
        return int(rows[0]), int(rows[-1]) + 1

    full = np.full((32, 90), 255, np.uint8)
    full[1:31, 20:40] = 0
    spans = [ink(LineAugmentation(scale=0.4).apply(full, random.Random(s))) for s in range(40)]
    heights = [bottom - top for top, bottom in spans]
    assert min(heights) < 22
    assert max(heights) <= 31
    assert min(top for top, _ in spans) <= 2
    assert max(bottom for _, bottom in spans) >= 30


def test_what_comes_from_outside_is_paper() -> None:
    dark = 255 - letters()  # white on black
    found = LineAugmentation(shear=0.5, scale=0.5).apply(dark, random.Random(3))
    assert (found[:, [0, -1]] == 0).all()
    assert (found[[0, -1]] == 0).all()


def test_blur_spreads_ink_and_keeps_it() -> None:
    found = LineAugmentation(blur=2.0).apply(letters(), random.Random(1))
    assert len(np.unique(found)) > 10
    assert abs(float(found.mean()) - float(letters().mean())) < 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"shear": 1.0}, r"line\.random_shear: found 1; expected a share"),
        ({"scale": -0.1}, r"line\.random_scale: found -0\.1; expected a share"),
        ({"stretch": 2.0}, r"line\.random_stretch: found 2; expected a share"),
        ({"blur": 9.0}, r"line\.random_blur: found 9; expected 0 to 8 pixels"),
    ],
)
def test_chances_out_of_range_are_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        LineAugmentation(**options).check()
