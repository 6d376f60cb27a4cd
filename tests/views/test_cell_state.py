"""A text coloured by units."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import cell_state
from saccade.views.cell_state import Unit, best_units, properties
from tests.views.pictures import BAD, anything, parts, plain, sound, tips, words

TEXT = list('say "no (x)" to\n  Me')


def test_properties_by_hand() -> None:
    found = properties(TEXT)
    assert "".join(str(int(v)) for v in found["inside quotes"]) == "00001111111000000000"
    assert "".join(str(int(v)) for v in found["bracket depth"]) == "00000000110000000000"
    assert "".join(str(int(v)) for v in found["indentation"])[-5:] == "01222"
    assert "".join(str(int(v)) for v in found["place in word"])[:8] == "12301230"
    assert found["place in line"].tolist()[14:18] == [15.0, 0.0, 1.0, 2.0]
    assert [s for s, v in zip(TEXT, found["vowel"], strict=True) if v] == list("ayooe")
    assert [s for s, v in zip(TEXT, found["capital"], strict=True) if v] == ["M"]


def test_a_piece_is_the_mean_of_its_characters() -> None:
    assert properties(["▁be", "nd"])["vowel"].tolist() == [pytest.approx(1 / 3), 0.0]


def test_what_never_changes_is_left_out() -> None:
    assert "inside quotes" not in properties(list("abc"))
    assert properties([]) == {}


def test_the_unit_that_follows_is_found() -> None:
    noise = np.random.default_rng(1).normal(size=(len(TEXT), 9))
    noise[:, 4] = -3 * properties(TEXT)["bracket depth"] + 0.01 * noise[:, 4]
    names = [f"unit {i}" for i in range(9)]
    found = {unit.follows: unit for unit in best_units(noise, names, TEXT)}
    assert found["bracket depth"].name == "unit 4"
    assert found["bracket depth"].correlation == pytest.approx(-1.0, abs=1e-3)
    assert found["bracket depth"].values == noise[:, 4].tolist()


def test_units_that_never_move_follow_nothing() -> None:
    (unit, *_) = best_units(np.ones((len(TEXT), 2)), ["a", "b"], TEXT)
    assert unit.correlation == 0.0


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match=r"states have shape \[2, 1\]; 3 symbols and 1 units need"):
        best_units(np.zeros((2, 1)), ["a"], list("abc"))
    with pytest.raises(ShapeError, match="u has 1 values; the text has 2 symbols"):
        cell_state.to_svg("ab", [Unit("u", "x", 0.5, [1.0])])


def test_every_symbol_is_on_its_colour() -> None:
    drawn = cell_state.to_svg(list("ab"), [Unit("unit 7", "vowel", 0.9, [1.0, -0.5])], title="t")
    cells = [r for r in parts(drawn, "rect") if r.get("data-place")]
    assert [c.get("class") for c in cells] == ["f0", "f1"]
    assert [c.get("fill-opacity") for c in cells] == ["0.75", "0.38"]
    assert [c.get("data-value") for c in cells] == ["1", "-0.5"]
    assert tips(drawn) == ["a: 1", "b: -0.5"]
    assert "vowel: unit 7, r = 0.90" in drawn


def test_the_terminal_without_colour() -> None:
    drawn = cell_state.to_terminal(list("a日b"), [Unit("u", "v", 1.0, [1, 0, -1])], colour=False)
    assert drawn == "v: u, r = 1.00\na日b\n▲··▼\n"


def test_lines_end_at_the_width_and_at_line_feeds() -> None:
    unit = Unit("u", "v", 1.0, [0.0] * 33)
    drawn = cell_state.to_terminal(["x", "\n"] + ["y"] * 31, [unit], colour=True, width=20)
    assert plain(drawn).splitlines()[1:] == ["x⏎", "y" * 20, "y" * 11]


@pytest.mark.parametrize("symbols", [[], ["a"], list("שלום"), ["日本", "", "▁"], ["long " * 60]])
def test_odd_texts(symbols: list[str]) -> None:
    units = [Unit(BAD, BAD, 0.1, [np.nan] * len(symbols))]
    drawn = cell_state.to_svg(symbols, units)
    ElementTree.fromstring(drawn)
    assert "<script" not in drawn
    assert "nan" not in drawn.replace("not finite", "")
    for colour in (True, False):
        sound(cell_state.to_terminal(symbols, units, colour=colour, width=30), 30)


@settings(deadline=None, max_examples=40)
@given(words, anything, st.floats(), st.booleans(), st.integers(20, 60))
def test_any_text_gives_sound_pictures(
    symbols: list[str], name: str, value: float, colour: bool, width: int
) -> None:
    units = [Unit(name, name, 0.5, [value] * len(symbols))]
    ElementTree.fromstring(cell_state.to_svg(symbols, units, title=name))
    sound(cell_state.to_terminal(symbols, units, colour=colour, width=width), width)
    assert all(len(v) == len(symbols) for v in properties(symbols).values())
