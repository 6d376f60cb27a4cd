"""Reading the right letters, one's own, and a wrong one."""

import pytest

from saccade.errors import RecipeError
from saccade.explanations.base import explain


def test_a_mistake_costs_places_behind_it() -> None:
    figures = explain("error_spread", places=4, mistake=1, width=32, updates=60).figures
    right, own, spoilt = (figures[f"teacher forcing, {r}"] for r in ("right", "own", "spoilt"))
    assert right > own > spoilt
    assert right > 0.4  # it has learned something: a guess has 0.125


def test_own_letters_are_read_in_training_only_with_a_probability() -> None:
    figures = explain("error_spread", places=4, mistake=1, width=8, updates=5, p=0.0).figures
    for read in ("right", "own", "spoilt"):
        assert figures[f"teacher forcing, {read}"] == figures[f"scheduled sampling, {read}"]


@pytest.mark.parametrize("mistake", [0, 4])
def test_places_must_stand_behind_the_mistake(mistake: int) -> None:
    with pytest.raises(RecipeError, match=f"mistake is {mistake}; expected a place from 1 to 3"):
        explain("error_spread", places=4, mistake=mistake)
