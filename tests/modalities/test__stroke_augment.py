import random

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.modalities._stroke_augment import StrokeAugmentation

MOVES = np.array([[1.0, 0, 0], [0, 2, 1], [3, -1, 2]], dtype=np.float32)


def test_every_move_is_changed_alike_and_the_pen_is_not() -> None:
    changed = StrokeAugmentation(0.2, 0.1, 0.3).apply(MOVES, random.Random(1))
    assert changed[:, 2].tolist() == MOVES[:, 2].tolist()
    across, down = changed[0, 0], changed[1, 1] / 2
    leaning = changed[1, 0] / 2
    assert changed[2, :2] == pytest.approx([3 * across - leaning, -down])
    assert 0.8 <= down <= 1.2
    assert 0.9 <= across / down <= 1.1
    assert abs(leaning / down) <= 0.3
    assert changed[0, 1] == 0  # it leans and does not turn
    assert MOVES[0, 0] == 1  # what is stored stays as it is


def test_chance_decides() -> None:
    one = StrokeAugmentation(random_scale=0.2)
    drawn = [one.apply(MOVES, random.Random(seed))[0, 0] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert one.active
    assert not StrokeAugmentation().active


@pytest.mark.parametrize("share", [-0.1, 0.6, float("nan")])
def test_shares_have_an_end(share: float) -> None:
    with pytest.raises(RecipeError, match=r"strokes.random_shear: found .*; expected 0 to 0.5"):
        StrokeAugmentation(random_shear=share).check()
