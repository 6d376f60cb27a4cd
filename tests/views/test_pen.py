import re

import numpy as np

from saccade.modalities._strokes import Strokes
from saccade.views.pen import FittedStrokes, dots, inked, owners_of

SHAPE = Strokes.of([[(0, 0), (10, 0), (10, 5), (20, 5)], [(30, 0), (30, 10)]])


def test_strokes_fit_the_line_and_keep_their_proportions() -> None:
    fitted = FittedStrokes(SHAPE)
    assert fitted.height == 120
    assert fitted.width == 360
    assert fitted.points.min() == 0
    tall = FittedStrokes(Strokes.of([[(0, 0), (1e6, 1)]]))
    assert tall.width == 880


def test_what_belongs_together_is_one_line_of_one_colour() -> None:
    plain = inked(FittedStrokes(SHAPE), 0, 0)
    assert len(re.findall("<path", plain)) == 2  # nothing is drawn where the pen is above the paper
    owned = inked(FittedStrokes(SHAPE), 0, 0, [0, 0, 1, 2, 2])
    assert re.findall(r'class="line (\w+)"', owned) == ["s0", "s1", "s2"]
    assert 'd="M0 0 L120 0 L120 60"' in owned
    assert "axis" in inked(FittedStrokes(SHAPE), 0, 0, [-1] * 5)


def test_dots_fit_the_terminal() -> None:
    for width in (1, 7, 40):
        rows = dots(SHAPE, width)
        assert all(len(row) <= width for row in rows)
        assert any(row for row in rows)
    assert dots(Strokes.of([[(0, 0)]]), 10)


def test_a_point_belongs_to_the_letter_that_was_seen_most() -> None:
    assert owners_of(np.array([[0.1, 0.9], [0.5, 0.2], [0.0, 0.0]])) == [1, 0, -1]
