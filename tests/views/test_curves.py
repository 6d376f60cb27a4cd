"""Training curves as SVG, as a grid and as spark lines."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.views import curves
from saccade.views.words import columns

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
points = st.lists(st.tuples(st.floats(), st.floats()), max_size=12)
FALL = [(float(i), 4.0 / (i + 1)) for i in range(10)]
PATH = "{http://www.w3.org/2000/svg}path"
CIRCLE = "{http://www.w3.org/2000/svg}circle"


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(anything, points, max_size=4), anything)
def test_any_series_give_a_sound_chart(
    series: dict[str, list[tuple[float, float]]], title: str
) -> None:
    drawn = curves.to_svg(series, title=title, y_label=title)
    root = ElementTree.fromstring(drawn)
    for path in root.iter(PATH):
        assert not re.search("nan|inf", path.get("d", "nan"))
    for dot in root.iter(CIRCLE):
        assert 0 <= float(dot.get("cx", "nan")) <= float(root.get("width", "0"))
        assert 0 <= float(dot.get("cy", "nan")) <= float(root.get("height", "0"))
    ElementTree.fromstring(curves.grid({title: series}))
    for line in curves.to_terminal(series, width=50).split("\n"):
        assert columns(line) <= 50


def test_each_point_says_its_value() -> None:
    drawn = curves.to_svg({"train loss": [(0, 4.0), (5000, 0.25)]})
    assert "<title>train loss: 0.25 at 5k</title>" in drawn


def test_a_legend_appears_with_the_second_series() -> None:
    assert "train loss</text>" not in curves.to_svg({"train loss": FALL})
    both = curves.to_svg({"train loss": FALL, "<script>": FALL})
    assert "train loss</text>" in both
    assert "&lt;script&gt;</text>" in both
    assert "<script" not in both


def test_a_point_that_is_not_finite_breaks_the_line() -> None:
    drawn = curves.to_svg({"loss": [(0, 1.0), (1, 2.0), (2, math.nan), (3, 1.0), (4, 2.0)]})
    path = next(ElementTree.fromstring(drawn).iter(PATH))
    assert path.get("d", "").count("M") == 2


def test_long_series_are_thinned_and_keep_their_end() -> None:
    drawn = curves.to_svg({"loss": [(i, float(i)) for i in range(100_000)]})
    assert len(drawn) < 60_000
    assert "loss: 100k at 100k" in drawn


def test_a_grid_holds_every_chart() -> None:
    drawn = curves.grid({"loss": {"loss": FALL}, "rate": {"rate": FALL}})
    assert drawn.count("<svg ") == 2
    assert drawn.count("max-width:100%") == 2


@pytest.mark.parametrize("width", [20, 40, 80])
def test_spark_lines_fall_with_the_loss_and_keep_the_width(width: int) -> None:
    shown = curves.to_terminal({"loss": FALL * 20, "empty": []}, width=width)
    assert "no points" in shown
    assert all(columns(line) <= width for line in shown.split("\n"))
    assert re.search("█.*▁", shown)


def test_the_same_input_gives_the_same_chart() -> None:
    assert curves.to_svg({"loss": FALL}) == curves.to_svg({"loss": FALL})
