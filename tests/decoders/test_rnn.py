import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.rnn import RnnDecoder
from saccade.flow import tensor
from saccade.parts import Part
from tests.samples import memory, randn, scramble

LENGTHS = (3, 5, 1)


def test_what_is_fed_back_is_what_was_written_under_dropout_too() -> None:
    decoder = scramble(RnnDecoder(4, 8, hidden=8, wiring="luong", dropout=0.5)).train()
    x = randn(3, 4, 4)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        whole = decoder(x, memory(*LENGTHS)).features
        torch.manual_seed(1)
        state = decoder.start(memory(*LENGTHS))
        for t in range(4):
            features, _, state = decoder.step(x[:, t], state)
            assert torch.equal(tensor(state, "feed"), features)
            assert_close(features, whole[:, t])
    assert (whole == 0).any()


def test_bahdanau_looks_before_it_moves() -> None:
    """What is read at a step depends on the state before it and not on the symbol of the step."""
    state_first = scramble(RnnDecoder(4, 8, hidden=8))
    state_last = scramble(RnnDecoder(4, 8, hidden=8, wiring="luong"))
    for decoder, same in ((state_first, True), (state_last, False)):
        maps = [
            decoder.step(randn(3, 4, seed=seed), decoder.start(memory(*LENGTHS)), look=True).weights
            for seed in (1, 2)
        ]
        assert maps[0] is not None
        assert maps[1] is not None
        assert torch.allclose(maps[0], maps[1]) is same


def test_without_attention_only_the_summary_is_known() -> None:
    decoder = scramble(RnnDecoder(4, 8, hidden=8, attention=Part(Attention, "none")))
    x, one = randn(3, 4, 4), memory(*LENGTHS)
    other = memory(*LENGTHS, extra=2)
    assert_close(decoder(x, one).features, decoder(x, other).features)
    assert decoder.attention_names == ()


@pytest.mark.parametrize(("cell", "n"), [("gru", 1), ("lstm", 2)])
def test_every_part_of_every_layer_starts_from_the_summary(cell: str, n: int) -> None:
    decoder = RnnDecoder(4, 8, hidden=6, layers=3, cell=Part(Cell, cell))
    assert decoder.bridge.out_features == 6 * 3 * n
