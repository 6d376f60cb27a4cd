"""The copy switch."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import switch
from tests.views.pictures import BAD, anything, parts, sound, tips


def test_bars_meet_where_copying_begins() -> None:
    drawn = switch.to_svg(["the", "Ada"], [0.75, 0.0], title="switch")
    bars = [r for r in parts(drawn, "rect") if r.get("data-place")]
    assert [(r.get("class"), r.get("width")) for r in bars] == [
        ("f0", "269"),
        ("f1", "89"),
        ("f1", "360"),
    ]
    assert tips(drawn)[-1] == "Ada: generated 0.00, copied 1.00"
    assert bars[0].get("data-value") == "0.75"


def test_what_is_not_finite_is_marked() -> None:
    drawn = switch.to_svg(["a"], [math.nan])
    assert 'class="void"' in drawn
    assert tips(drawn) == ["a: not finite"]
    assert "?" in switch.to_terminal(["a"], [math.nan])


def test_one_value_for_each_word() -> None:
    with pytest.raises(ShapeError, match=r"switch\.to_svg: 2 values; 1 words need 1"):
        switch.to_svg(["a"], [0.1, 0.2])
    with pytest.raises(ShapeError, match=r"switch\.to_terminal: 0 values; 1 words need 1"):
        switch.to_terminal(["a"], [])


@pytest.mark.parametrize("words", [[], ["a"], ["שלום"], ["日本語" * 9], ["w"] * 200, [BAD]])
def test_odd_words(words: list[str]) -> None:
    drawn = switch.to_svg(words, [0.5] * len(words), title=BAD)
    ElementTree.fromstring(drawn)
    assert "<script" not in drawn
    sound(switch.to_terminal(words, [0.5] * len(words), width=24), 24)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(anything, st.floats()), max_size=6), st.integers(20, 60))
def test_any_words_give_sound_pictures(pairs: list[tuple[str, float]], width: int) -> None:
    words, values = [word for word, _ in pairs], [value for _, value in pairs]
    ElementTree.fromstring(switch.to_svg(words, values))
    sound(switch.to_terminal(words, values, width=width), width)
