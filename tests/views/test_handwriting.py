from xml.etree import ElementTree

import numpy as np

from saccade.modalities._strokes import Strokes
from saccade.views import handwriting
from saccade.views.drawing import AttentionMap, draw_output

STROKES = Strokes.of([[(0, 0), (10, 0), (10, 5)], [(30, 0), (30, 10)]])
WEIGHTS = np.array([[0.9, 0.0, 0.0], [0.5, 0.4, 0.0], [0.1, 0.8, 0.0], [0.0, 0.9, 0.6]])
SEEN = AttentionMap(WEIGHTS, ("<", "b", "END"), ("1", "2", "3", "4"), (3,))


def rects(drawn: str) -> int:
    root = ElementTree.fromstring(drawn)
    return len([e for e in root.iter() if e.get("class") == "hue"])


def test_the_window_stands_below_the_strokes() -> None:
    drawn = draw_output("handwriting", "<b", STROKES, None, SEEN)
    assert rects(drawn.svg) == np.count_nonzero(WEIGHTS)
    assert "&lt;" in drawn.svg
    assert 'class="line s0"' in drawn.svg
    assert 'class="line s1"' in drawn.svg
    assert drawn.said == "Handwriting: <b"
    assert drawn.encoded(".png").startswith(b"\x89PNG")


def test_without_a_map_and_beside_the_truth() -> None:
    drawn = draw_output("handwriting", "ab", STROKES, STROKES)
    assert rects(drawn.svg) == 0
    assert "in the data" in drawn.svg
    assert len([e for e in ElementTree.fromstring(drawn.svg).iter() if e.tag.endswith("path")]) == 4


def test_a_map_of_other_points_is_not_drawn() -> None:
    odd = AttentionMap(WEIGHTS[:2], SEEN.source, SEEN.target[:2], (3,))
    assert rects(handwriting.to_svg(STROKES, odd)) == 0


def test_in_a_terminal_letters_have_a_line_each() -> None:
    drawn = handwriting.to_terminal(STROKES, SEEN, width=30).splitlines()
    assert all(len(line) <= 30 for line in drawn)
    assert drawn[-3].split()[0] == "<"
    assert "█" in drawn[-3]
    assert drawn[-4] == ""
    assert handwriting.to_terminal(STROKES, width=30)
