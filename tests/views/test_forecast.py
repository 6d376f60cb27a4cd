"""The picture of a forecast."""

from xml.etree import ElementTree

import pytest

from saccade.errors import ShapeError
from saccade.views import forecast


def test_all_three_lines_are_drawn() -> None:
    drawn = forecast.to_svg([1, 2, 3], [4, 5], [3, 3], title="<Rain>")
    root = ElementTree.fromstring(drawn)
    paths = [e for e in root.iter() if e.tag.endswith("path")]
    assert len(paths) == 3
    for word in ("known", "forecast", "what came", "steps from now", "&lt;Rain&gt;"):
        assert word in drawn
    assert "what came" not in forecast.to_svg([1, 2, 3], [4, 5])


def test_lines_fit_the_terminal_and_share_a_scale() -> None:
    drawn = forecast.to_terminal([float(i) for i in range(200)], [5.0, 0.0], [1.0, 2.0], width=50)
    assert len(drawn.splitlines()) == 2
    assert all(len(line) <= 50 for line in drawn.splitlines())
    assert "│▁▁" in drawn
    odd = forecast.to_terminal([1.0], [float("nan")], width=20)
    assert "│?" in odd
    with pytest.raises(ShapeError, match=r"forecast.to_terminal: width is 19 columns; at least 20"):
        forecast.to_terminal([1.0], [2.0], width=19)
