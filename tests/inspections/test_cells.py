"""Units of cells that follow the text."""

import pytest

from saccade.errors import DataError, RecipeError
from saccade.inspections.base import draw
from saccade.inspections.cells import followers
from tests.look.test_inspection import translator


def test_units_are_those_of_the_encoder() -> None:
    asked = translator("bahdanau")
    pieces, units = followers(asked, "two cats")
    assert "".join(pieces) == "two▁cats"
    assert {unit.follows for unit in units} == {"place in line", "place in word", "vowel"}
    assert all(unit.name.startswith("h[") and " of encoder 1 " in unit.name for unit in units)
    assert all(len(unit.values) == len(pieces) for unit in units)
    with pytest.raises(DataError, match="the sentence '' is empty"):
        followers(asked, "")


def test_cells_need_a_cell() -> None:
    with pytest.raises(RecipeError, match="this model reads without a recurrent cell"):
        draw(translator("pre"), "two cats", "cells")
