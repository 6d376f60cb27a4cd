import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM
from saccade.encoders.rnn import RnnEncoder
from saccade.errors import RecipeError
from saccade.flow import Padded, nested, tensor
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


def test_residual_connections_may_start_higher() -> None:
    """As in GNMT, from the third layer on: those below are a plain stack."""
    plain = scramble(RnnEncoder(5, hidden=4, layers=2))
    three = scramble(RnnEncoder(5, hidden=4, layers=3, residual=True, residual_from=3))
    above = scramble(RnnEncoder(8, hidden=4))
    for i in (0, 1):
        plain.layers[i].load_state_dict(three.layers[i].state_dict())
    above.layers[0].load_state_dict(three.layers[2].state_dict())
    source = Padded(randn(2, 3, 5), mask_of(3, 2))
    read = plain(source)
    assert_close(three(source).states, read.states + above(Padded(read.states, source.mask)).states)
    with pytest.raises(RecipeError, match=r"residual_from 1 is below 2; the first layer reads"):
        RnnEncoder(5, residual_from=1)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_last_states_that_are_carried_are_those_of_each_row_alone(*, bidirectional: bool) -> None:
    """With cells and all, as torch's LSTM tells them over packed rows."""
    options = {"cell": Part(Cell, "lstm"), "hidden": 4, "layers": 2, "bidirectional": bidirectional}
    encoder = scramble(RnnEncoder(5, carry=True, **options)).eval()  # type: ignore[arg-type]
    other = scramble(RnnEncoder(5, **options)).eval()  # type: ignore[arg-type]
    other.load_state_dict(encoder.state_dict())
    source = Padded(randn(4, 6, 5), mask_of(3, 6, 1, 4))
    memory, expected = encoder(source), other(source)
    assert_close(memory.states, expected.states)
    assert_close(memory.summary, expected.summary)
    assert expected.carried is None
    for row, n in enumerate((3, 6, 1, 4)):
        x = source.values[row : row + 1, :n]
        for i in range(2):
            layer, found = encoder.layers[i], nested(memory.carried, str(i))
            runs = [
                reference.lstm(cell)(x.flip(1) if d else x)
                for d, cell in enumerate(layer.children())
                if isinstance(cell, LSTM)
            ]
            for k, name in enumerate(("h", "c")):
                final = torch.cat([run[1][k][0] for run in runs], dim=1)
                assert_close(tensor(found, name)[row : row + 1], final)
            outputs = [run[0].flip(1) if d else run[0] for d, run in enumerate(runs)]
            x = torch.cat(outputs, dim=2)


def test_only_the_first_layer_may_read_both_ways() -> None:
    encoder = scramble(RnnEncoder(5, hidden=4, layers=3, above="forward"))
    assert [len(list(layer.children())) for layer in encoder.layers] == [2, 1, 1]
    memory = encoder(Padded(randn(2, 3, 5), mask_of(3, 2)))
    assert encoder.memory_dim == 8
    assert_close(memory.summary, torch.stack([memory.states[0, 2], memory.states[1, 1]]))
