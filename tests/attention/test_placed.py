import torch
from torch.testing import assert_close

from saccade.attention.bilinear import Bilinear
from saccade.attention.placed import Placed
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_without_positions_it_is_its_score() -> None:
    placed = scramble(Placed(8, 6, positions=Part(Positions, "none")))
    bilinear = Bilinear(8, 6)
    bilinear.load_state_dict(placed.inner.state_dict())
    query, states = randn(2, 4, 8, seed=2), randn(2, 6, 6)
    prepared = placed.prepare(states)
    one = placed(query, prepared, MASK, placed.start(prepared), look=True)
    other = bilinear(query, bilinear.prepare(states), MASK, {}, look=True)
    assert_close(one.weights, other.weights)
    assert_close(one.context, other.context)


def test_equal_states_are_told_apart_by_their_places_and_read_alike() -> None:
    placed = scramble(Placed(8, 6))
    states = randn(2, 1, 6).expand(2, 6, 6)
    prepared = placed.prepare(states)
    read = placed(randn(2, 4, 8), prepared, MASK, placed.start(prepared), look=True)
    assert len(set(read.weights[0, 0, 0].tolist())) == 6
    assert_close(read.context, states[:, :4])


def test_all_queries_at_once() -> None:
    assert not Placed(8, 8).recurrent
    assert torch.is_tensor(Placed(8, 8).keys(randn(2, 6, 8)))
