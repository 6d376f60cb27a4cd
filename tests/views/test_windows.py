"""Windows that slide along the source."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import windows
from saccade.views.windows import Bell
from tests.views.pictures import BAD, anything, parts, sound, tips, words

bells = st.builds(Bell, st.floats(), st.floats(), st.floats())
SLIDE = [[Bell(1.0, 4.0, t + 1.0), Bell(0.5, 1.0, t + 2.0)] for t in range(3)]


def test_a_bar_covers_centre_and_width() -> None:
    drawn = windows.to_svg([[Bell(1.0, 4.0, 2.0)]], list("abc"), ["x"])
    bar = next(r for r in parts(drawn, "rect") if r.get("data-step"))
    dot = parts(drawn, "circle")[0]
    x, wide = float(bar.get("x", "")), float(bar.get("width", ""))
    assert wide == pytest.approx(30.0)  # two half cells of 30 pixels
    assert x + wide / 2 == pytest.approx(float(dot.get("cx", "")))
    assert (bar.get("data-centre"), bar.get("data-value")) == ("2", "1")
    assert tips(drawn) == ["step 1, bell 1: centre 2, ± 0.5, height 1"]


def test_higher_bells_are_darker() -> None:
    drawn = windows.to_svg(SLIDE, list("abcd"), list("xyz"))
    bars = [float(r.get("fill-opacity", "")) for r in parts(drawn, "rect") if r.get("data-step")]
    assert bars[::2] == [0.8] * 3
    assert bars[1::2] == [0.44] * 3


def test_what_lies_beyond_is_cut() -> None:
    drawn = windows.to_svg([[Bell(1.0, 0.01, 50.0)]], ["a"], ["x"])
    assert not parts(drawn, "circle")
    assert windows.centre([], 9) is None
    assert not [
        r for r in parts(windows.to_svg([[Bell(1, 1, 50)]], ["a"], ["x"]), "rect") if len(r)
    ]


def test_the_terminal_by_hand() -> None:
    drawn = windows.to_terminal(SLIDE, list("abcd"), list("xyz"))
    assert drawn.splitlines()[:4] == ["  a b c d", "x ◆█▒▒▒▒··", "y ··◆█▒▒▒▒", "z ····◆█▒▒"]


def test_one_window_for_each_word() -> None:
    with pytest.raises(ShapeError, match="3 windows; 1 target words need 1"):
        windows.to_svg(SLIDE, ["a"], ["x"])
    with pytest.raises(ShapeError, match="width is 5 columns"):
        windows.to_terminal([], [], [], width=5)


@pytest.mark.parametrize("source", [[], ["a"], list("שלום"), ["日本語"] * 3, ["w"] * 70, [BAD]])
def test_odd_sentences(source: list[str]) -> None:
    for target in ([], [BAD], ["日本"]):
        bell = [[Bell(1.0, 1.0, 1.0), Bell(math.nan, -1.0, math.inf)] for _ in target]
        drawn = windows.to_svg(bell, source, target, title=BAD)
        ElementTree.fromstring(drawn)
        assert "<script" not in drawn
        sound(windows.to_terminal(bell, source, target, width=30), 30)


@settings(deadline=None, max_examples=40)
@given(words, st.lists(st.tuples(anything, st.lists(bells, max_size=3)), max_size=4))
def test_any_windows_give_sound_pictures(
    source: list[str], steps: list[tuple[str, list[Bell]]]
) -> None:
    target, found = [word for word, _ in steps], [window for _, window in steps]
    drawn = windows.to_svg(found, source, target)
    ElementTree.fromstring(drawn)
    assert not any(value in drawn for value in ('"nan"', '"inf"', '"-inf"'))
    sound(windows.to_terminal(found, source, target, width=24), 24)
