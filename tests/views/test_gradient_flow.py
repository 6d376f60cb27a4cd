"""Gradient norm by distance."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import gradient_flow
from tests.views.pictures import BAD, anything, parts, sound, tips

FLOW = {"elman": [1.0, 0.1, 0.01], "lstm": [1.0, 0.9, 0.8]}


def lines(drawn: str) -> list[str]:
    return [p.get("d", "") for p in parts(drawn, "path") if p.get("class", "").startswith("line")]


def test_every_cell_is_a_line_with_its_tips() -> None:
    drawn = gradient_flow.to_svg(FLOW, title="flow")
    assert len(lines(drawn)) == 4  # two and their keys
    assert "elman: 0.01 at 2 steps back" in tips(drawn)
    assert 'data-distance="2" data-value="0.01"' in drawn


def test_the_axis_is_logarithmic() -> None:
    first = lines(gradient_flow.to_svg(FLOW))[0]
    heights = [float(point.split()[1]) for point in first[1:].split("L")]
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.02)


def test_zero_and_infinity_break_the_line() -> None:
    drawn = gradient_flow.to_svg({"a": [1.0, 0.5, 0.0, 0.5, math.nan, 0.1]})
    assert lines(drawn)[0].count("M") == 3
    assert "nan" not in drawn


def test_more_cells_than_colours_are_dashed() -> None:
    drawn = gradient_flow.to_svg({str(i): [1.0, 0.5] for i in range(9)})
    assert drawn.count('class="line s0" stroke-dasharray="6 4"') == 2


def test_a_long_line_makes_a_small_file() -> None:
    drawn = gradient_flow.to_svg({"a": [0.99**k for k in range(5000)]})
    assert len(drawn) < 20_000
    assert lines(drawn)[0].count("M") == 1


@pytest.mark.parametrize("flow", [{}, {"a": []}, {"a": [0.0]}, {"a": [1.0]}])
def test_next_to_nothing(flow: dict[str, list[float]]) -> None:
    ElementTree.fromstring(gradient_flow.to_svg(flow))
    sound(gradient_flow.to_terminal(flow, width=20), 20)


def test_markup_is_only_text() -> None:
    assert "<script" not in gradient_flow.to_svg({BAD: [1.0, 0.1]}, title=BAD)


@settings(deadline=None, max_examples=40)
@given(
    st.dictionaries(anything, st.lists(st.floats(), max_size=9), max_size=4),
    anything,
    st.integers(20, 90),
)
def test_any_flow_gives_sound_pictures(
    flow: dict[str, list[float]], title: str, width: int
) -> None:
    ElementTree.fromstring(gradient_flow.to_svg(flow, title=title))
    sound(gradient_flow.to_terminal(flow, title=title, width=width), width)


def test_a_narrow_terminal_is_refused() -> None:
    with pytest.raises(ShapeError, match="width is 9 columns; at least 20 are needed"):
        gradient_flow.to_terminal(FLOW, width=9)
