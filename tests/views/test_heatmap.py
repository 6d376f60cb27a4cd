"""The attention map in the terminal, as SVG and as HTML."""

import re
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import heatmap
from saccade.views.words import columns

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
words = st.lists(anything, max_size=9)
RECT = "{http://www.w3.org/2000/svg}rect"
TITLE = "{http://www.w3.org/2000/svg}title"


def soft(T: int, S: int) -> npt.NDArray[np.float64]:
    scores = np.exp(np.random.default_rng(T * 100 + S).normal(size=(T, S)) * 2)
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def plain(drawn: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", drawn)


def tips(drawn: str) -> list[str]:
    return [title.text or "" for title in ElementTree.fromstring(drawn).iter(TITLE)]


def test_every_cell_has_its_tooltip() -> None:
    drawn = heatmap.to_svg(np.array([[0.83, 0.17], [0.0, 1.0]]), ["le", "chat"], ["the", "cat"])
    assert tips(drawn) == [
        "le → the: 0.83",
        "chat → the: 0.17",
        "le → cat: 0.00",
        "chat → cat: 1.00",
    ]


def test_every_cell_says_its_place_and_weight_to_a_page() -> None:
    drawn = heatmap.to_svg(np.array([[0.83, 0.17], [0.0, np.nan]]), ["le", "chat"], ["the", "cat"])
    cells = [r for r in ElementTree.fromstring(drawn).iter(RECT) if len(r)]
    said = [[cell.get(f"data-{name}") for name in ("row", "column", "value")] for cell in cells]
    assert said == [["0", "0", "0.83"], ["0", "1", "0.17"], ["1", "0", "0"], ["1", "1", ""]]


def test_more_weight_is_more_opaque() -> None:
    drawn = heatmap.to_svg(np.array([[0.0, 0.2, 0.8, 1.0]]), list("abcd"), ["x"])
    cells = [r for r in ElementTree.fromstring(drawn).iter(RECT) if len(r)]
    opacity = [float(cell.get("fill-opacity", "-1")) for cell in cells]
    assert opacity == sorted(set(opacity))
    assert opacity[-1] == 1.0


def test_script_in_a_word_is_only_text() -> None:
    bad = "<script>alert('x')</script>"
    for drawn in (
        heatmap.to_svg(soft(1, 1), [bad], [bad], title=bad),
        heatmap.to_html(soft(1, 1), [bad], [bad], title=bad),
    ):
        assert "<script" not in drawn
        ElementTree.fromstring(drawn)


@settings(deadline=None, max_examples=60)
@given(words, words, anything, st.booleans())
def test_any_words_give_sound_pictures(
    source: list[str], target: list[str], title: str, colour: bool
) -> None:
    weights = soft(len(target), len(source))
    ElementTree.fromstring(heatmap.to_svg(weights, source, target, title=title))
    ElementTree.fromstring(heatmap.to_html(weights, source, target, title=title))
    drawn = heatmap.to_terminal(weights, source, target, colour=colour, width=24)
    assert max(columns(line) for line in plain(drawn).split("\n")) <= 24
    assert "\x1b" not in plain(drawn)


@pytest.mark.parametrize("width", [20, 40, 80, 100])
@pytest.mark.parametrize("n", [1, 5, 30, 60])
@pytest.mark.parametrize("colour", [True, False])
def test_the_terminal_width_is_kept(width: int, n: int, colour: bool) -> None:
    drawn = heatmap.to_terminal(
        soft(n, n), ["mot日"] * n, ["parola"] * n, colour=colour, width=width
    )
    assert max(columns(line) for line in plain(drawn).split("\n")) <= width


def test_the_plain_map_reads_as_expected() -> None:
    drawn = heatmap.to_terminal(
        np.array([[1.0, 0.0], [0.25, 0.5]]), ["le", "日"], ["the", "猫"], colour=False
    )
    assert drawn.split("\n") == ["    l", "    e 日", "the ██·", " 猫 ░░▒▒", "", "0 ·░▒▓█ 1.00", ""]


def test_panels_hold_every_source_word_once() -> None:
    drawn = heatmap.to_terminal(np.eye(1, 50), ["w"] * 50, ["x"], colour=False, width=40)
    assert drawn.count("w") == 50


def test_the_colours_grow_lighter_at_every_step() -> None:
    def luminance(index: int) -> float:
        levels = (0, 95, 135, 175, 215, 255)
        cube = index - 16
        parts = [levels[cube // 36] / 255, levels[cube // 6 % 6] / 255, levels[cube % 6] / 255]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    shades = [luminance(index) for index in heatmap.RAMP]
    assert shades == sorted(set(shades))


def test_weights_that_are_not_finite_are_marked_not_printed() -> None:
    weights = np.array([[np.nan, 1.0], [np.inf, -np.inf]])
    drawn = heatmap.to_svg(weights, list("ab"), list("xy"))
    assert tips(drawn)[0] == "a → x: not finite"
    assert drawn.count('class="void"') == 3
    shown = heatmap.to_terminal(weights, list("ab"), list("xy"), colour=False)
    assert shown.count("?") == 3
    for text in (drawn, shown):
        assert not re.search(r"\b(nan|inf)\b", text, re.IGNORECASE)


def test_the_same_input_gives_the_same_picture() -> None:
    assert heatmap.to_svg(soft(4, 5), list("abcde"), list("wxyz")) == heatmap.to_svg(
        soft(4, 5), list("abcde"), list("wxyz")
    )


@pytest.mark.parametrize("draw", [heatmap.to_svg, heatmap.to_html])
def test_a_mismatch_is_refused(draw: object) -> None:
    assert callable(draw)
    with pytest.raises(
        ShapeError, match=r"heatmap.to_svg: weights have shape \[3, 2\].* need \[2, 3\]"
    ):
        draw(soft(3, 2), list("abc"), list("xy"))


def test_a_mismatch_is_refused_in_the_terminal() -> None:
    with pytest.raises(
        ShapeError, match=r"heatmap.to_terminal: weights have shape \[2\].*\[1, 2\]"
    ):
        heatmap.to_terminal(np.ones(2), list("ab"), ["x"], colour=False)


def test_a_terminal_too_narrow_is_refused() -> None:
    with pytest.raises(
        ShapeError, match="width is 10 columns; at least 20 are needed; pass a larger"
    ):
        heatmap.to_terminal(soft(1, 1), ["a"], ["b"], colour=False, width=10)


def test_float32_is_taken() -> None:
    weights = soft(2, 2).astype(np.float32)
    assert heatmap.to_svg(weights, list("ab"), list("xy")).count("<title>") == 4


def test_small_maps_are_named_and_share_a_scale() -> None:
    maps = {"layer 1 head 1": np.full((2, 3), 0.1), "<b>": np.full((2, 3), 1.0)}
    fragment = heatmap.grid(maps, list("abc"), list("xy"), title="<i>")
    assert fragment.count("<svg") == 2
    assert "layer 1 head 1" in fragment
    assert "&lt;b&gt;" in fragment
    assert "one scale, 0 to 1" in fragment
    ElementTree.fromstring(fragment)
    drawn = heatmap.grid_svg(maps, list("abc"), list("xy"), title="heads")
    assert tips(drawn)[:2] == ["a → x: 0.10", "b → x: 0.10"]
    assert len(tips(drawn)) == 12
    assert drawn == heatmap.grid_svg(maps, list("abc"), list("xy"), title="heads")


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("n", [1, 12, 60])
def test_small_maps_keep_to_the_terminal(n: int, colour: bool) -> None:
    drawn = heatmap.grid_terminal({str(i): soft(n, n) for i in range(5)}, colour=colour, width=40)
    assert max(columns(line) for line in plain(drawn).split("\n")) <= 40


def test_small_maps_stand_side_by_side() -> None:
    drawn = heatmap.grid_terminal({"one": np.eye(2), "two": np.ones((2, 2))}, colour=False)
    assert drawn.split("\n")[:3] == [
        "one             two",
        "█·              ██",
        "·█              ██",
    ]


def test_small_maps_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"heatmap.grid: weights have shape \[3, 2\]"):
        heatmap.grid({"a": soft(3, 2)}, list("abc"), list("xy"))
    with pytest.raises(ShapeError, match=r"heatmap.grid_svg: weights have shape \[3, 2\]"):
        heatmap.grid_svg({"a": soft(3, 2)}, list("abc"), list("xy"))


def test_no_maps_at_all_are_an_empty_picture() -> None:
    ElementTree.fromstring(heatmap.grid_svg({}, [], []))
    ElementTree.fromstring(heatmap.grid({}, [], []))
    assert heatmap.grid_terminal({}, colour=False) == "0 ·░▒▓█ 1.00\n"
