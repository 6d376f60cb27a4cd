"""The example of the blackboard, with the numbers that stand on it."""

import math

import pytest
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.explanations.base import explain
from saccade.explanations.by_hand import ByHand


def test_the_numbers_are_those_of_the_blackboard() -> None:
    found = explain("by-hand")
    figures = {name: round(value, 2) for name, value in found.figures.items()}
    assert [figures[f"product {s}"] for s in (1, 2)] == [112, 96]
    assert [figures[f"score {s}"] for s in (1, 2)] == [14, 12]
    assert [figures[f"weight {s}"] for s in (1, 2)] == [0.88, 0.12]
    for shown in ("112.0", "96.000", "14.000", "12.000", "0.881", "0.119"):
        assert shown in found.drawing.terminal(120)


def test_values_times_weights_are_summed() -> None:
    asked = ByHand(seed=4, first=3.0, second=1.0, width=4)
    _, _, values = asked._drawn()
    a = 1 / (1 + math.exp((1 - 3) / 2))
    wanted = a * values[0] + (1 - a) * values[1]
    figures = asked.run().figures
    assert_close([figures[f"read {i}"] for i in range(1, 5)], wanted.tolist())
    plain = 1 / (1 + math.exp(1 - 3))
    assert_close(figures["weight 1, not divided"], plain)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"found products nan and 96 of width 64; expected"):
        explain("by-hand", first=math.nan)
