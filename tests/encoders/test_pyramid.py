import torch
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.encoders.pyramid import PyramidEncoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Padded
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble


def source() -> Padded:
    return Padded(randn(4, 7, 5), mask_of(7, 4, 1, 3))


def test_one_layer_is_the_recurrent_encoder() -> None:
    pyramid = scramble(PyramidEncoder(5, hidden=4, layers=1))
    plain = scramble(RnnEncoder(5, cell=Part(Cell, "lstm"), hidden=4))
    assert_close(pyramid(source()).states, plain(source()).states)
    assert_close(pyramid(source()).summary, plain(source()).summary)


def test_every_layer_above_the_first_halves_time() -> None:
    encoder = scramble(PyramidEncoder(5, hidden=4, layers=3))
    memory = encoder(source())
    assert memory.states.shape == (4, 2, 8)
    assert memory.mask.sum(dim=1).tolist() == [2, 1, 1, 1]
    assert memory.places.tolist() == [
        [0, 0, 0, 0, 1, 1, 1],
        [0, 0, 0, 0, -1, -1, -1],
        [0, -1, -1, -1, -1, -1, -1],
        [0, 0, 0, -1, -1, -1, -1],
    ]


def test_a_layer_reads_neighbours_side_by_side_and_zeros_behind_an_odd_end() -> None:
    one, two = (scramble(PyramidEncoder(5, hidden=4, layers=n)) for n in (1, 2))
    below = scramble(PyramidEncoder(5, hidden=4, layers=1))
    one.layers[0].load_state_dict(two.layers[0].state_dict())
    below.layers[0] = two.layers[1]
    states = one(source()).states  # [B, 7, D]
    states = torch.cat([states, torch.zeros(4, 1, 8)], dim=1).reshape(4, 4, 16)
    expected = below(Padded(states, mask_of(4, 2, 1, 2)))
    assert_close(two(source()).states, expected.states)
    assert_close(two(source()).summary, expected.summary)
