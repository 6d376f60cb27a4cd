"""Boxes of words in a line of print."""

from typing import Any

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.guards.profile import Profile
from saccade.look.printed import PrintedWord, printed_line
from saccade.modalities._notation import Notation
from saccade.nouns import Hypothesis
from saccade.predict.looker import SelfMap
from saccade.predict.prediction import Prediction
from saccade.tokenizers.character import Character

LETTERS = Character().fit(["ab cd"], [])
HEIGHT = 12


class Target(Notation):
    vocabulary = LETTERS

    def decode(self, values: Any) -> Any:
        return LETTERS.decode(values)

    def labels(self, raw: Any, values: Any) -> tuple[str, ...]:
        return ()

    def read(self, text: str, where: str = "input") -> Any:
        return text

    def write(self, raw: Any) -> str:
        return str(raw)


class Reader:
    """Looks at a frame of 4 columns for every letter."""

    profile: Profile | None = None
    attention_names = ("CTC",)
    self_attention_names = ()
    covers = False
    sources: dict[str, Notation] = {}  # noqa: RUF012 - nobody changes it
    target = Target()

    def __init__(self, frames: list[int], rows: int = 1) -> None:
        self.frames, self.rows = frames, rows

    def look(self, arrays: Any, target: Any) -> Any:
        n = len(arrays["source"]) // 4
        return np.eye(n, dtype=np.float32)[[*self.frames, n - 1]][None]

    def look_within(self, arrays: Any, target: Any) -> tuple[SelfMap, ...]:
        return ()

    def grid(self, arrays: Any) -> tuple[int, ...]:
        return self.rows, len(arrays["source"]) // 4

    def token_scores(self, arrays: Any, target: Any) -> tuple[float, ...]:
        return ()


def inked(*boxes: tuple[int, int, int, int]) -> Any:
    """Paper of 60 columns with ink in boxes of left, top, right and bottom."""
    values = np.full((60, HEIGHT), 240, np.uint8)
    for left, top, right, bottom in boxes:
        values[left:right, top:bottom] = 10
    return values


def read(text: str, frames: list[int], values: Any, rows: int = 1) -> Prediction:
    ids = tuple(LETTERS.encode(text))
    hypothesis = Hypothesis(ids, 0.0, (*[np.log(0.5)] * 2, *[0.0] * (len(ids) - 1)))
    return Prediction({"source": None}, {"source": values}, hypothesis, Reader(frames, rows))


def test_a_word_has_the_box_of_its_ink() -> None:
    values = inked((3, 2, 14, 9), (16, 4, 22, 11), (34, 1, 50, 9))
    found = printed_line(read("ab cd", [1, 4, 6, 9, 11], values))
    assert (found.width, found.height) == (60, HEIGHT)
    ab, cd = found.words
    assert (ab.text, ab.box) == ("ab", (3, 2, 22, 11))
    assert ab.confidence == pytest.approx(0.5)
    assert cd == PrintedWord("cd", (34, 1, 50, 9), 1.0)


def test_a_cut_looks_for_the_gap_near_the_space() -> None:
    values = inked((3, 2, 27, 9), (30, 1, 50, 9))  # the space was seen where c has begun
    found = printed_line(read("ab cd", [1, 4, 7, 9, 11], values))
    assert [word.box for word in found.words] == [(3, 2, 27, 9), (30, 1, 50, 9)]


def test_boxes_are_in_the_pixels_of_the_picture() -> None:
    values = inked((3, 2, 14, 9), (34, 1, 50, 9))
    found = printed_line(read("b c", [2, 6, 9], values), (120, 36))
    assert (found.width, found.height) == (120, 36)
    assert [word.box for word in found.words] == [(6, 6, 28, 27), (68, 3, 100, 27)]


def test_no_ink_and_no_text() -> None:
    empty = printed_line(read("", [], inked()))
    assert empty.words == ()
    (word,) = printed_line(read("a", [3], inked())).words
    assert word.box == (0, 0, 60, HEIGHT)


def test_a_whole_picture_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"boxes of words: the model looks at 3 x 15 places; exp"):
        printed_line(read("a", [3], inked(), rows=3))
