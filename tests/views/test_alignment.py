"""Alignment points, predicted and gold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import alignment
from saccade.views.alignment import Gold
from tests.views.pictures import BAD, anything, parts, sound, tips, words

SOURCE, TARGET = ["le", "chat", "noir"], ["the", "black", "cat"]
POINTS = [(0, 0), (1, 2), (2, 1)]
GOLD = Gold(sure=[(0, 0), (1, 2)], possible=[(2, 2)])


def test_every_point_has_its_disc() -> None:
    drawn = alignment.to_svg(SOURCE, TARGET, POINTS)
    assert tips(drawn) == [
        "le – the: predicted",
        "chat – cat: predicted",
        "noir – black: predicted",
    ]
    assert len(parts(drawn, "circle")) == 3


def test_gold_points_are_squares() -> None:
    drawn = alignment.to_svg(SOURCE, TARGET, POINTS, gold=GOLD)
    assert "noir – cat: possible" in tips(drawn)
    assert "le – the: predicted, sure" in tips(drawn)
    assert drawn.count('stroke-dasharray="3 3"') == 2  # one point, one in the legend
    assert "error rate 0.200" in drawn


def test_error_rate_by_hand() -> None:
    assert alignment.error_rate(POINTS, GOLD) == pytest.approx(1 - (2 + 2) / (3 + 2))
    assert alignment.error_rate([], Gold()) == 0.0
    assert alignment.error_rate([(0, 0)], Gold(sure=[(1, 1)])) == 1.0


def test_the_terminal_reads_as_expected() -> None:
    drawn = alignment.to_terminal(["a", "b"], ["x", "y"], [(0, 0)], gold=Gold([(0, 0)], [(1, 1)]))
    assert drawn.split("\n")[:3] == ["   a  b", "x [●] ·", "y  · ( )"]
    assert "error rate 0.000" in drawn


def test_a_point_outside_is_refused() -> None:
    for draw in (alignment.to_svg, alignment.to_terminal):
        with pytest.raises(ShapeError, match=r"point \(0, 3\) lies outside 3 source and 3 target"):
            draw(SOURCE, TARGET, [(0, 3)])


def test_script_in_a_word_is_only_text() -> None:
    drawn = alignment.to_svg([BAD], [BAD], [(0, 0)], title=BAD)
    assert "<script" not in drawn
    assert parts(drawn, "svg")


@settings(deadline=None, max_examples=25)
@given(words, words, anything, st.data())
def test_any_words_give_sound_pictures(
    source: list[str], target: list[str], title: str, data: st.DataObject
) -> None:
    places = [(s, t) for s in range(len(source)) for t in range(len(target))]
    some = st.sets(st.sampled_from(places)) if places else st.just(set())
    points, gold = data.draw(some), Gold(data.draw(some), data.draw(some))
    drawn = alignment.to_svg(source, target, points, gold=gold, title=title)
    assert parts(drawn, "svg")
    assert drawn == alignment.to_svg(source, target, sorted(points), gold=gold, title=title)
    sound(alignment.to_terminal(source, target, points, gold=gold, width=40), 40)
