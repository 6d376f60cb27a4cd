"""Where a model looked in a line of print, as SVG and in the terminal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.modalities._picture import Picture, to_text
from saccade.views import picture, picture_line
from saccade.views.drawing import AttentionMap
from saccade.views.picture_look import Pixels, look_at
from tests.views.pictures import BAD, anything, parts, plain, sound, tips

WEIGHTS = np.array([[[0.9, 0.1, 0.0, 0.0]], [[0.0, 0.0, 0.5, 0.5]]])


def line(width: int = 16) -> Pixels:
    return np.full((4, width, 3), 255, dtype=np.uint8)


def test_a_line_is_told_from_other_pictures() -> None:
    assert picture_line.is_line(line(), (1, 4))
    assert not picture_line.is_line(line(), (2, 2))
    assert not picture_line.is_line(line(8), (1, 4))


def test_every_weight_that_counts_is_a_cell() -> None:
    drawn = picture_line.to_svg(line(), WEIGHTS, ["a", BAD], title="t")
    cells = [one for one in parts(drawn, "rect") if one.get("data-row")]
    found = [(one.get("data-row"), one.get("data-column"), one.get("data-value")) for one in cells]
    assert found == [("0", "0", "0.9"), ("0", "1", "0.1"), ("1", "2", "0.5"), ("1", "3", "0.5")]
    assert "a: 0.90" in tips(drawn)
    assert "<script>" not in drawn
    image = parts(drawn, "image")[0]
    left, wide = (float(image.get(key) or 0) for key in ("x", "width"))
    assert [float(one.get("x") or 0) for one in cells] == [
        left + wide * int(one.get("data-column") or 0) / 4 for one in cells
    ]


def test_letters_stand_over_the_middle_of_their_weight() -> None:
    looked = look_at("x", line(), WEIGHTS, ["a", "b"], smoothly=False)
    assert picture_line.middles(looked).tolist() == [pytest.approx(2.4), pytest.approx(12.0)]
    nothing = look_at("x", line(), 0 * WEIGHTS, ["a", "b"], smoothly=False)
    assert np.isnan(picture_line.middles(nothing)).all()


def test_a_terminal_has_a_row_for_every_letter() -> None:
    assert picture_line.to_terminal(line(), WEIGHTS, ["a", "b"], width=40) == (
        "a █·\nb   ▒▒\n0 ·░▒▓█ 0.9\n"
    )
    with pytest.raises(ShapeError, match=r"picture_line\.to_terminal: width is 5 columns"):
        picture_line.to_terminal(line(), WEIGHTS, ["a", "b"], width=5)


def test_attention_over_a_line_is_drawn_so() -> None:
    one = AttentionMap(WEIGHTS[:, 0], (), ("a", "b"), (1, 4), Picture(line()))
    drawing = picture.draw(one)
    assert drawing.terminal(40).startswith("a █·")
    assert drawing.svg == picture_line.to_svg(line(), WEIGHTS, ("a", "b"), title="Attention")


@settings(deadline=None, max_examples=30)
@given(st.lists(anything, min_size=1, max_size=5), st.integers(20, 100), st.integers(0, 99))
def test_anything_fits(words: list[str], width: int, seed: int) -> None:
    weights = np.random.default_rng(seed).random((len(words), 1, 30))
    weights[0, 0, :2] = np.nan, -1
    sound(plain(picture_line.to_terminal(line(120), weights, words, width=width)), width)
    assert parts(picture_line.to_svg(line(120), weights, words), "image")


def test_a_line_may_be_wider_than_other_pictures() -> None:
    text = to_text(Picture(line(1300)))
    one = AttentionMap(WEIGHTS[:, 0], (), ("a", "b"), (1, 4), text)
    assert "a" in picture.draw(one).terminal(40)
