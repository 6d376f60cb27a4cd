from dataclasses import replace
from typing import Any, Literal

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM
from saccade.decoders.rnn import RnnDecoder
from saccade.encoders.rnn import RnnEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded, State, nested, tensor
from saccade.parts import Part
from tests import reference
from tests.samples import mask_of, memory, randn, scramble

LENGTHS = (3, 5, 1)


def test_what_is_fed_back_is_what_was_written_under_dropout_too() -> None:
    decoder = scramble(RnnDecoder(4, 8, hidden=8, wiring="luong", dropout=0.5)).train()
    x = randn(3, 4, 4)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        whole = decoder(x, memory(*LENGTHS)).features
        torch.manual_seed(1)
        masks = decoder.dropout(torch.ones(3, 4, 8))  # one draw for all steps
    decoder.eval()
    state = decoder.start(memory(*LENGTHS))
    for t in range(4):
        features, _, state = decoder.step(x[:, t], state)
        state["feed"] = features * masks[:, t]
        assert_close(tensor(state, "feed"), whole[:, t])


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
    assert decoder.bridge is not None
    assert decoder.bridge.out_features == 6 * 3 * n


def sutskever(layers: int = 2, width: int = 6, **options: Any) -> RnnDecoder:
    """A stack that knows of the source nothing but the last states of the encoder's layers."""
    given = {"wiring": "luong", "input_feeding": False, "begin": "carried", **options}
    cell, none = Part(Cell, "lstm"), Part(Attention, "none")
    return scramble(
        RnnDecoder(4, width, hidden=width, layers=layers, cell=cell, attention=none, **given)
    ).eval()


def test_states_that_are_carried_go_on_in_the_same_layer() -> None:
    """Encoder and decoder are one stack over source and target, read by torch's LSTM."""
    encoder = scramble(
        RnnEncoder(4, cell=Part(Cell, "lstm"), hidden=6, layers=2, bidirectional=False, carry=True)
    ).eval()
    decoder, source, x = sutskever(), randn(3, 5, 4), randn(3, 4, 4)
    assert decoder.bridge is None
    for layer, cell in zip(encoder.layers, decoder.cells, strict=True):
        cell.load_state_dict(layer.get_submodule("0").state_dict())
    memory = encoder(Padded(source, mask_of(5, 5, 5)))
    both = torch.cat([source, x], dim=1)
    for cell in decoder.cells:
        assert isinstance(cell, LSTM)
        both, _ = reference.lstm(cell)(both)
    expected = torch.tanh(decoder.readout(both[:, 5:]))
    assert_close(decoder(x, memory).features, expected)


def test_states_that_do_not_fit_are_refused() -> None:
    source = replace(memory(*LENGTHS, dim=6), carried=None)
    wanted = r"begin: carried needs the last states of 2 layers \(h 6, c 6\); the encoder carries"
    with pytest.raises(ShapeError, match=wanted + r" those of no layer\. Set carry: true"):
        sutskever().start(source)
    carried: State = {"0": {"h": randn(3, 6)}}
    with pytest.raises(ShapeError, match=wanted + r" those of 1 layer \(h 6\)\."):
        sutskever().start(replace(source, carried=carried))


def test_the_summary_may_enter_every_step() -> None:
    """Cho's form: cell and read-out see the summary beside the symbol."""
    none = Part(Attention, "none")
    decoder = scramble(RnnDecoder(4, 8, hidden=6, attention=none, feed_summary=True))
    source, x = memory(*LENGTHS), randn(3, 4, 4)
    state = decoder.start(source)
    cells = nested(nested(state, "cells"), "0")
    hidden, _, _ = decoder.get_submodule("cells.0")(
        torch.cat([x[:, 0], source.summary], dim=1), cells
    )
    read = torch.cat([hidden, source.summary, x[:, 0]], dim=1)
    assert_close(decoder.step(x[:, 0], state).features, torch.tanh(decoder.readout(read)))


@pytest.mark.parametrize("wiring", ["bahdanau", "luong"])
@pytest.mark.parametrize("attention", ["none", "additive"])
@pytest.mark.parametrize("feeding", [True, False])
def test_with_the_summary_at_once_is_step_by_step(
    wiring: Literal["bahdanau", "luong"], attention: str, feeding: bool
) -> None:
    decoder = scramble(
        RnnDecoder(
            4,
            8,
            hidden=6,
            layers=2,
            attention=Part(Attention, attention),
            wiring=wiring,
            input_feeding=feeding,
            feed_summary=True,
        )
    )
    x, state = randn(3, 4, 4), decoder.start(memory(*LENGTHS))
    whole = decoder(x, memory(*LENGTHS)).features
    for t in range(4):
        features, _, state = decoder.step(x[:, t], state)
        assert_close(features, whole[:, t])
