"""The scale that weights are drawn on."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views.weights import checked, share, spoken, top_of


@pytest.mark.parametrize(
    ("largest", "top"), [(0.0, 0.1), (0.1, 0.1), (0.2, 0.25), (0.3, 0.5), (0.51, 1.0), (2.5, 2.5)]
)
def test_the_top_of_the_scale_is_round(largest: float, top: float) -> None:
    assert top_of(np.array([[0.0, largest, np.nan, np.inf]])) == top


def test_the_top_of_nothing_is_the_smallest_scale() -> None:
    assert top_of(np.zeros((0, 3))) == 0.1


def test_float32_rows_of_one_stay_on_the_scale_of_one() -> None:
    assert top_of(np.array([[1.0000001]])) == 1.0


def test_share_lies_between_nought_and_one() -> None:
    assert [share(w, 0.5) for w in (-1.0, 0.0, 0.25, 0.6, float("nan"))] == [0, 0, 0.5, 1, 0]


def test_a_weight_that_is_not_finite_is_said_to_be() -> None:
    assert spoken(float("nan")) == "not finite"


def test_a_mismatch_names_both_shapes() -> None:
    with pytest.raises(
        ShapeError,
        match=r"here: weights have shape \[2, 3\]; 4 target words and 3 source words need "
        r"\[4, 3\]; pass one row for each target word and one column for each source word",
    ):
        checked("here", np.zeros((2, 3)), list("abc"), list("abcd"))
