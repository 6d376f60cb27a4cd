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
