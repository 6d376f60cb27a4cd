"""Every kind of positions: what is added to a place is the same however the places are cut."""

import math

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import ShapeError
from saccade.parts import Part
from saccade.positions.base import Positions
from saccade.positions.learned import Learned
from saccade.positions.sinusoidal import waves
from tests.samples import name, randn, scramble, variants


@pytest.mark.parametrize("part", variants(Positions), ids=name)
def test_places_at_once_are_places_one_by_one(part: Part[Positions]) -> None:
    positions, x = scramble(part.build(6)), randn(3, 5, 6)
    whole = positions(x)
    assert whole.shape == x.shape
    assert whole.dtype == x.dtype
    for t in range(5):
        assert_close(positions(x[:, t : t + 1], first=t), whole[:, t : t + 1])


def test_waves_by_hand() -> None:
    expected = [math.sin(3), math.cos(3), math.sin(3 / 100), math.cos(3 / 100)]
    assert_close(waves(1, 4, first=3)[0], torch.tensor(expected))
    assert waves(2, 5).shape == (2, 5)


def test_learned_positions_end() -> None:
    positions = Learned(4, most=3)
    assert positions(randn(2, 3, 4)).shape == (2, 3, 4)
    message = (
        "positions learned: place 4 of a sequence is beyond most=3, the longest it was built for."
        " Shorten the input, or train with sinusoidal positions."
    )
    with pytest.raises(ShapeError, match=message):
        positions(randn(2, 1, 4), first=3)
