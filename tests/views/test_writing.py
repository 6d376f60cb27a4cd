"""Pictures that move: the pen, what it has written, and the window on the letters."""

from xml.etree import ElementTree

import numpy as np
import pytest

from saccade.modalities._strokes import Strokes
from saccade.views import writing
from saccade.views.drawing import AttentionMap

NS = "{http://www.w3.org/2000/svg}"
ONE = Strokes.of([[(0, 0), (0, 30), (20, 30)], [(40, 0), (40, 30)]])  # four moves
SEEN = AttentionMap(
    np.array([[0.9, 0.0], [0.6, 0.1], [0.1, 0.8], [0.0, 0.9]]),
    ("a", "<b"),
    ("1", "2↑", "3", "4↑"),
    (2,),
)


def times(path: ElementTree.Element) -> list[float]:
    (moving,) = path.findall(f"{NS}animate")
    return [float(n) for n in moving.get("keyTimes", "").split(";")]


def test_every_piece_is_drawn_when_its_time_has_come() -> None:
    root = ElementTree.fromstring(writing.to_svg(ONE, SEEN))
    paths = root.findall(f"{NS}path")
    assert [times(path) for path in paths] == [[0, 0, 0.5, 1], [0, 0.75, 1, 1]]
    assert [path.get("class") for path in paths] == ["line s0", "line s1"]  # whose letter it is
    assert all(path.get("stroke-dashoffset") is None for path in paths)  # on paper all is drawn


def test_letters_are_lit_by_the_window() -> None:
    root = ElementTree.fromstring(writing.to_svg(ONE, SEEN))
    moving = [rect.find(f"{NS}animate") for rect in root.findall(f"{NS}rect[@class='hue']")]
    lit = [one.get("values") for one in moving if one is not None]
    assert lit == ["0.80;0.53;0.09;0.00", "0.00;0.09;0.71;0.80"]
    assert [t.text for t in root.findall(f"{NS}text")][2:] == ["a", "<b"]


def test_it_takes_as_long_as_there_are_points() -> None:
    long = Strokes.of([[(n, n % 7) for n in range(301)]])
    assert 'data-seconds="10"' in writing.to_svg(long)
    assert 'data-seconds="1"' in writing.to_svg(ONE)
    endless = Strokes.of([[(n, n % 7) for n in range(5000)]])
    assert 'data-seconds="20"' in writing.to_svg(endless)
    assert len(writing.to_svg(endless).split('attributeName="cx"')[1].split('"')[1]) < 3000


def test_in_a_terminal_and_on_paper() -> None:
    drawn = writing.draw("ab", ONE, SEEN)
    assert "a" in drawn.terminal(40)
    assert drawn.said == "Writing: ab"
    pytest.importorskip("matplotlib")
    assert drawn.encoded(".pdf").startswith(b"%PDF")
