"""The steps of attention, with their numbers."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import steps
from saccade.views.steps import CalculatedStep, Calculation
from saccade.views.words import columns

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
PLACES = ("the", "cat")
FOUND = Calculation(
    "it",
    "head 1",
    PLACES,
    (
        CalculatedStep("q", np.arange(6.0), by_place=False),
        CalculatedStep("k", np.arange(12.0).reshape(2, 6)),
        CalculatedStep("e", np.array([1.5, -0.25])),
        CalculatedStep("c", np.array([3.0, 4.0]), by_place=False),
    ),
)


def test_vectors_are_cut_and_measured() -> None:
    drawn = steps.to_terminal(FOUND, width=80)
    assert "1. q  [0.000, 1.000, 2.000, 3.000, … 2 more]  length 7.416" in drawn
    assert "4. c  [3.000, 4.000]  length 5.000" in drawn
    (row,) = [line for line in drawn.splitlines() if line.startswith("cat")]
    assert row.split() == ["cat", "6.000", "7.000", "8.000", "9.000", "…", "|21.237|", "-0.250"]


def test_every_number_of_the_terminal_is_in_the_picture() -> None:
    written = "".join(ElementTree.fromstring(steps.to_svg(FOUND)).itertext())
    for number in re.findall(r"-?\d+\.\d+", steps.to_terminal(FOUND, width=80)):
        assert number in written


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_a_table_goes_on_below_itself(width: int) -> None:
    lines = steps.to_terminal(FOUND, width=width).splitlines()
    assert max(map(columns, lines)) <= width
    assert sum(line.startswith("cat") for line in lines) == (2 if width <= 40 else 1)


@settings(deadline=None, max_examples=25)
@given(st.lists(anything, min_size=1, max_size=4), anything, anything, st.integers(1, 6))
def test_any_words_and_numbers_give_a_sound_picture(
    places: list[str], word: str, equation: str, width: int
) -> None:
    odd = np.array([np.nan, np.inf, 1e30, -1e-30])[np.arange(len(places) * width) % 4]
    own = [
        CalculatedStep(equation, odd.reshape(len(places), width)),
        CalculatedStep(equation, odd[:width], by_place=False),
    ]
    found = Calculation(word, equation, tuple(places), tuple(own))
    ElementTree.fromstring(steps.to_svg(found))
    assert max(map(columns, steps.to_terminal(found, width=60).split("\n"))) <= 60


def test_rows_without_a_place_are_refused() -> None:
    message = "steps: e has 3 rows for 2 places; expected one for each place. Give as many."
    with pytest.raises(ShapeError, match=message):
        Calculation("it", "", PLACES, (CalculatedStep("e", np.ones(3)),))
