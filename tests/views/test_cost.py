"""Scores against what they cost."""

import math
from xml.etree import ElementTree

import pytest

from saccade.errors import ShapeError
from saccade.views import cost
from saccade.views.cost import Priced

MODELS = [
    Priced("dictionary", 2.0, 10.0, 9.0, 11.0),
    Priced("<phrases>", 60.0, 33.0, 32.0, 34.5),
    Priced("attention", 700.0, 36.0, 35.0, 37.5),
    Priced("Transformer", 900.0, 36.5, 35.0, 38.0),
]


def circles(drawn: str) -> list[tuple[float, float]]:
    found = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}circle")
    return [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in found]


def test_points_stand_where_cost_and_score_say() -> None:
    places = circles(cost.to_svg(MODELS, cost="seconds", score="BLEU"))
    (x0, y0), (x1, _), (x2, y2), _ = places
    assert (x1 - x0) / (x2 - x0) == pytest.approx(math.log(30) / math.log(350), abs=0.01)
    assert y2 < y0  # better is higher


def test_names_do_not_stand_on_each_other_and_are_escaped() -> None:
    drawn = cost.to_svg(MODELS, cost="seconds", score="BLEU", title="Through time")
    assert "<phrases>" not in drawn
    assert "Through time" in drawn
    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    heights = {one.text: float(one.attrib["y"]) for one in texts}
    assert abs(heights["attention"] - heights["Transformer"]) >= 15


def test_a_model_without_cost_is_left_out() -> None:
    some = [*MODELS, Priced("old", math.nan, 30.0, 29.0, 31.0), Priced("free", 0.0, 1.0, 1.0, 1.0)]
    assert len(circles(cost.to_svg(some, cost="seconds", score="BLEU"))) == 4
    said = cost.to_terminal(some, cost="seconds", score="BLEU")
    assert "old" not in said
    assert "D  Transformer  36.5 at 900" in said


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ShapeError, match="no model has both a cost above 0 and a finite score"):
        cost.to_svg([Priced("a", math.nan, 1.0, 1.0, 1.0)], cost="seconds", score="BLEU")


def test_one_model_is_a_point() -> None:
    assert len(circles(cost.draw(MODELS[:1], cost="seconds", score="BLEU").svg)) == 1
