import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Padded
from saccade.parts import Part
from tests import reference
from tests.samples import mask_of, randn, scramble


@pytest.mark.parametrize("layers", [1, 2])
def test_a_bidirectional_lstm_is_torchs_over_packed_rows(layers: int) -> None:
    encoder = scramble(RnnEncoder(5, cell=Part(Cell, "lstm"), hidden=4, layers=layers))
    source = Padded(randn(4, 6, 5), mask_of(3, 6, 1, 4))
    packed = pack_padded_sequence(
        source.values, source.lengths, batch_first=True, enforce_sorted=False
    )
    outputs, (final, _) = reference.bidirectional_lstm(encoder)(packed)
    states, _ = pad_packed_sequence(outputs, batch_first=True)
    memory = encoder(source)
    assert_close(memory.states, states)
    assert_close(memory.summary, torch.cat([final[-2], final[-1]], dim=1))


def test_one_direction_has_half_the_width() -> None:
    both, one = RnnEncoder(5, hidden=4), RnnEncoder(5, hidden=4, bidirectional=False)
    assert (both.memory_dim, one.memory_dim) == (8, 4)
    memory = scramble(one)(Padded(randn(2, 3, 5), mask_of(3, 2)))
    assert_close(memory.summary, torch.stack([memory.states[0, 2], memory.states[1, 1]]))


def test_residual_layers_add_to_what_they_read() -> None:
    one = scramble(RnnEncoder(5, hidden=4))
    two = scramble(RnnEncoder(5, hidden=4, layers=2, residual=True))
    above = scramble(RnnEncoder(8, hidden=4))
    one.layers[0].load_state_dict(two.layers[0].state_dict())
    above.layers[0].load_state_dict(two.layers[1].state_dict())
    source = Padded(randn(2, 3, 5), mask_of(3, 2))
    read = one(source)
    added = above(Padded(read.states, source.mask))
    assert_close(two(source).states, read.states + added.states)
    assert_close(two(source).summary, read.summary + added.summary)


def test_only_the_first_layer_may_read_both_ways() -> None:
    encoder = scramble(RnnEncoder(5, hidden=4, layers=3, above="forward"))
    assert [len(list(layer.children())) for layer in encoder.layers] == [2, 1, 1]
    memory = encoder(Padded(randn(2, 3, 5), mask_of(3, 2)))
    assert encoder.memory_dim == 8
    assert_close(memory.summary, torch.stack([memory.states[0, 2], memory.states[1, 1]]))
