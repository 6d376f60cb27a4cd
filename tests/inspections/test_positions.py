"""What a model adds to the places it reads."""

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.positions import added_positions
from tests.look.test_inspection import translator


def test_positions_are_what_is_added() -> None:
    found = added_positions(translator("pre"), 5)
    assert found.shape == (5, 24)
    np.testing.assert_allclose(found[0, :4], [0.0, 1.0, 0.0, 1.0])
    with pytest.raises(RecipeError, match=r"this model adds no positions.*Use another --view"):
        added_positions(translator("bahdanau"), 5)


def test_positions_of_a_transformer() -> None:
    drawing = draw(translator("pre"), "two cats", "positions")
    assert "Position encoding" in drawing.svg
    assert "every dimension" in drawing.terminal(60)
