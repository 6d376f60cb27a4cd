import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.gated import GatedAttention
from saccade.decoders.rnn import RnnDecoder
from saccade.errors import RecipeError
from saccade.flow import nested, tensor
from saccade.parts import Part
from tests.samples import mask_of, memory, randn, scramble

MASK = mask_of(6, 4)[:, None]


def test_the_gate_scales_what_was_read_and_not_where() -> None:
    gated = scramble(GatedAttention(8, 8))
    query, prepared = randn(2, 3, 8), gated.prepare(randn(2, 6, 8, seed=2))
    plain = gated.inner(query, prepared, MASK, {}, look=True)
    read = gated(query, prepared, MASK, {}, look=True)
    w, b = gated.beta.weight[0], gated.beta.bias
    for row in range(2):
        for t in range(3):
            beta = 1 / (1 + torch.exp(-(w @ query[row, t] + b)))
            assert_close(read.context[row, t], beta * plain.context[row, t])
    assert_close(read.weights, plain.weights)


def test_in_bahdanaus_wiring_the_state_before_decides() -> None:
    """beta[t] is of s[t-1], as published: the symbol of the step does not change it."""
    decoder = scramble(RnnDecoder(4, 8, hidden=8, attention=Part(Attention, "gated")))
    gated = decoder.attention
    assert isinstance(gated, GatedAttention)
    state = decoder.start(memory(3, 5))
    before = tensor(nested(nested(state, "cells"), "0"), "h")  # [B, D]
    source = nested(state, "source")
    mask = tensor(source, "mask")[:, None]
    plain = gated.inner(before[:, None], nested(source, "prepared"), mask, {})
    context = torch.sigmoid(gated.beta(before)) * plain.context[:, 0]
    x = randn(2, 4)
    hidden, _, _ = decoder.get_submodule("cells.0")(
        torch.cat([x, context], dim=1), nested(nested(state, "cells"), "0")
    )
    written = torch.tanh(decoder.readout(torch.cat([hidden, context, x], dim=1)))
    assert_close(decoder.step(x, state).features, written)


@pytest.mark.parametrize("kind", ["coverage", "hard", "gaussian_mixture"])
def test_it_is_what_its_attention_is(kind: str) -> None:
    gated = GatedAttention(8, 8, attention=Part(Attention, kind))
    inner = gated.inner
    assert (gated.recurrent, gated.normalised, gated.hard, gated.names) == (
        inner.recurrent,
        inner.normalised,
        inner.hard,
        inner.names,
    )


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"gated.attention: it reads nothing, so there is noth"):
        GatedAttention(8, 8, attention=Part(Attention, "none"))
