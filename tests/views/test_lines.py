"""Threads between source and target words."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import lines

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
PATH = "{http://www.w3.org/2000/svg}path"


def threads(drawn: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn).iter(PATH))


def test_width_and_opacity_follow_the_weight() -> None:
    found = threads(lines.to_svg(np.array([[0.1, 0.4, 1.0]]), list("abc"), ["x"]))
    widths = [float(path.get("stroke-width", "0")) for path in found]
    opacity = [float(path.get("stroke-opacity", "0")) for path in found]
    assert widths == [1.5, 3.0, 6.0]
    assert opacity == [0.1, 0.4, 1.0]


def test_threads_and_key_say_which_map_they_are_of() -> None:
    weights = np.array([[0.5, 0.5]])
    drawn = lines.several_svg({"head 1": weights, "head 2": weights}, ["a", "b"], ["x"])
    assert {one.get("data-map") for one in threads(drawn) if one.get("data-row")} == {"0", "1"}
    assert [
        one.get("data-key") for one in ElementTree.fromstring(drawn).iter() if one.get("data-key")
    ] == ["0", "1"]


def test_faint_and_undefined_weights_have_no_thread() -> None:
    weights = np.array([[0.01, np.nan, 0.99]])
    assert len(threads(lines.to_svg(weights, list("abc"), ["x"]))) == 1
    assert len(threads(lines.to_svg(weights, list("abc"), ["x"], faintest=0.0))) == 2


def test_each_thread_says_what_it_joins() -> None:
    drawn = lines.to_svg(np.array([[0.83]]), ["<script>"], ["cat"])
    assert "<title>&lt;script&gt; → cat: 0.83</title>" in drawn
    assert "<script" not in drawn


@settings(deadline=None, max_examples=60)
@given(st.lists(anything, max_size=8), st.lists(anything, max_size=8), anything)
def test_any_words_give_a_sound_picture(source: list[str], target: list[str], title: str) -> None:
    weights = np.full((len(target), len(source)), 0.5)
    drawn = lines.to_html(weights, source, target, title=title)
    assert len(threads(drawn)) == len(source) * len(target)


def test_words_stand_inside_the_picture() -> None:
    root = ElementTree.fromstring(lines.to_svg(np.ones((2, 30)), ["long word"] * 30, ["a", "b"]))
    places = [float(t.get("x", "-1")) for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert min(places) > 0
    assert max(places) < float(root.get("width", "0"))


def test_a_mismatch_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"lines.to_svg: weights have shape \[1, 1\].* \[1, 2\]"):
        lines.to_svg(np.ones((1, 1)), ["a", "b"], ["x"])


def test_the_same_input_gives_the_same_picture() -> None:
    weights = np.full((3, 3), 1 / 3)
    assert lines.to_svg(weights, list("abc"), list("xyz")) == lines.to_svg(
        weights, list("abc"), list("xyz")
    )


def test_the_terminal_names_what_was_looked_at_most_first() -> None:
    weights = np.array([[0.2, 0.77, 0.03], [np.nan, 0.0, 1.0]])
    drawn = lines.to_terminal(weights, ["le", "chat", "dort"], ["cat", "it"])
    assert drawn == "cat ← chat 0.77  le 0.20\n it ← dort 1.00\n"
    assert lines.to_terminal(weights, ["le", "chat", "dort"], ["cat", "it"], width=20).startswith(
        "cat ← chat 0.77  le…\n"
    )


def test_a_mismatch_is_refused_in_the_terminal() -> None:
    with pytest.raises(ShapeError, match=r"lines.to_terminal: weights have shape \[1, 1\]"):
        lines.to_terminal(np.ones((1, 1)), ["a", "b"], ["x"])
