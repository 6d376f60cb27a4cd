"""Rows of bits as a picture."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.modalities._picture import from_text
from saccade.views import bitmap
from tests.views.pictures import BAD, parts, sound

BITS = np.eye(6, 4, dtype=np.uint8)


def test_one_is_white() -> None:
    drawing = bitmap.draw("7", BITS)
    (image,) = parts(drawing.svg, "image")
    assert np.array_equal(from_text(image.get("href", "")).pixels[:, :, 1], BITS * 255)
    assert drawing.said == "Drawn for: 7"


def test_the_truth_stands_beside() -> None:
    drawn = bitmap.draw(BAD, BITS, "1111 0000 1111 0000 1111 0000").svg
    assert len(parts(drawn, "image")) == 2
    assert "in the data" in drawn
    assert "<script" not in drawn


def test_a_narrow_terminal_takes_larger_blocks() -> None:
    wide = np.ones((8, 60), dtype=np.uint8)
    sound(bitmap.to_terminal(wide, width=25), 25)
    assert bitmap.to_terminal(wide, width=60).splitlines() == ["█" * 60] * 4


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"a picture \[0, 4\]; expected"):
        bitmap.to_svg(np.zeros((0, 4), dtype=np.uint8))
