"""The paths that are listed against formulas and against a sum over one letter."""

import math

import pytest

from saccade.errors import RecipeError
from saccade.explanations.base import explain
from saccade.explanations.ctc_paths import collapsed


@pytest.mark.parametrize(
    ("word", "frames", "doubles"), [("cat", 5, 0), ("aab", 5, 1), ("a", 6, 0), ("aaa", 6, 2)]
)
def test_paths_are_as_many_as_there_are_ways_to_stretch(
    word: str, frames: int, doubles: int
) -> None:
    found = explain("ctc-paths", word=word, frames=frames).figures
    assert found["paths"] == math.comb(frames + len(word) - doubles, 2 * len(word))
    assert found["frames needed"] == len(word) + doubles


def test_the_sum_is_what_is_trained_on() -> None:
    for seed in (1, 2, 3):
        found = explain("ctc-paths", word="aab", frames=6, seed=seed).figures
        assert found["forward"] == pytest.approx(found["probability"], rel=1e-12)
        assert found["loss"] == pytest.approx(found["probability"], rel=1e-12)


def test_repeats_are_written_once_unless_a_blank_parts_them() -> None:
    assert collapsed((1, 2, 2, 0, 2, 3)) == (1, 2, 2, 3)
    assert collapsed((1, 2, 2, 2, 2, 3)) == (1, 2, 3)
    assert collapsed((0, 0)) == ()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"frames": 5}, "word=hello,frames=5: 6 frames are needed, .*; expected frames=6 or more"),
        ({"frames": 11}, "48,828,125 paths are too many to list; expected 2,000,000 or fewer"),
        ({"word": ""}, "the word is empty; expected one letter or more"),
    ],
)
def test_what_cannot_be_listed_is_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        explain("ctc-paths", **options)
