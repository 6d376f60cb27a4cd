"""The way of an eye over a picture."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views import gaze
from saccade.views.gaze import Glance
from tests.views.pictures import parts, tips

PICTURE = np.zeros((20, 40, 3), dtype=np.uint8)
PATCH = np.full((4, 4, 3), 9, dtype=np.uint8)
FIRST = Glance(((8.0, 18.0, 12.0, 22.0), (6.0, 16.0, 14.0, 24.0)), (PATCH, PATCH))
SECOND = Glance(((0.0, 30.0, 4.0, 34.0), (-2.0, 28.0, 6.0, 36.0)), (PATCH, PATCH))


def test_numbers_stand_where_the_eye_went() -> None:
    drawn = gaze.to_svg(PICTURE, [FIRST, SECOND], said="says: 7")
    dots = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in parts(drawn, "circle")]
    zoom = 280 / 40
    assert dots == [(20 + 20 * zoom, 16 + 10 * zoom), (20 + 32 * zoom, 16 + 2 * zoom)]
    assert len(parts(drawn, "image")) == 1 + 4  # the picture, and what was seen
    assert "says: 7" in drawn
    assert tips(drawn)[0] == "glimpse 1, scale 1: rows 8 to 12"


def test_the_terminal_marks_places() -> None:
    drawn = gaze.to_terminal(PICTURE, [FIRST, SECOND], width=80)
    lines = drawn.splitlines()
    assert lines[10].index("1") == 40
    assert lines[2].index("2") == 64
    assert "glimpses (down, across): 1 (10, 20)  2 (2, 32)" in drawn


def test_a_narrow_terminal_takes_larger_squares() -> None:
    bright = np.full((20, 40, 3), 255, dtype=np.uint8)
    drawn = gaze.to_terminal(bright, [FIRST], width=40)
    assert max(map(len, drawn.splitlines()[:10])) == 40


def test_what_was_seen_is_grey_if_it_has_one_channel() -> None:
    assert gaze.seen(np.array([[[0.0, 1.0]]])).tolist() == [[[0, 0, 0], [255, 255, 255]]]


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ShapeError, match="0 glimpses; expected"):
        gaze.to_svg(PICTURE, [])
