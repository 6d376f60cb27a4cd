from xml.etree import ElementTree

import numpy as np

from saccade.modalities._strokes import Strokes, to_text
from saccade.views.drawing import AttentionMap, draw_attention, draw_maps

STROKES = Strokes.of([[(0, 0), (10, 0), (10, 5)], [(30, 0), (30, 10)]])
WEIGHTS = np.array([[0.9, 0.1, 0.0, 0.0], [0.0, 0.0, 0.1, 0.9]])
MAP = AttentionMap(WEIGHTS, ("1", "2", "3", "4"), ("a", "b"), (4,), to_text(STROKES))


def test_points_have_the_colour_of_what_was_read_there() -> None:
    drawn = draw_attention("strokes", MAP)
    paths = [e.get("class") for e in ElementTree.fromstring(drawn.svg).iter() if e.get("d")]
    assert paths == ["line s0", "line axis", "line s1"]
    assert 'class="f1"' in drawn.svg
    assert drawn.terminal(20).splitlines()[-1] == "ab"


def test_weights_of_other_points_colour_nothing() -> None:
    odd = AttentionMap(WEIGHTS[:, :2], ("1", "2"), ("a", "b"), (2,), to_text(STROKES))
    paths = list(ElementTree.fromstring(draw_attention("strokes", odd).svg).iter())
    assert [e.get("class") for e in paths if e.get("d")] == ["line axis", "line axis"]


def test_several_maps_stand_below_each_other() -> None:
    both = draw_maps("strokes", {"one": MAP, "other": MAP})
    assert both.svg.count("line s1") == 2
