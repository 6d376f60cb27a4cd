import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.rnn_past import RnnPast
from saccade.errors import ShapeError
from saccade.parts import Part
from tests.samples import memory, randn, scramble, variants

READERS = [
    part
    for part in variants(Attention)
    if not (part.build(8, 8).recurrent or part.build(8, 8).hard)
]


def test_reads_the_states_before_each_place() -> None:
    """f[t] = tanh(W [s[t]; sum_u a[u] s[u]]), u < t, counting the state before the first symbol."""
    decoder = scramble(RnnPast(8, 8, hidden=8, attention=Part(Attention, "dot")))
    x, source = randn(1, 3, 8), memory(4)
    (cell,) = decoder._stack
    start = torch.split(torch.tanh(decoder.bridge(source.summary)), 8, dim=1)
    state = dict(zip(cell.parts, start, strict=True))
    states = [state["h"]]
    for t in range(3):
        h, state, _ = cell(x[:, t], state)
        past = torch.stack(states, dim=1)  # [1, t + 1, D]
        weights = (past @ h[0]).softmax(dim=1)  # [1, t + 1]
        context = (weights[:, :, None] * past).sum(dim=1)
        expected = torch.tanh(decoder.readout(torch.cat([h, context], dim=1)))
        assert_close(decoder(x, source).features[:, t], expected)
        states.append(h)


@pytest.mark.parametrize("part", READERS, ids=lambda part: part.kind)
def test_steps_agree_under_every_attention_that_can_grow(part: Part[Attention]) -> None:
    decoder = scramble(RnnPast(8, 8, hidden=8, layers=2, attention=part))
    x, source = randn(2, 5, 8), memory(4, 1)
    whole, state = decoder(x, source).features, decoder.start(source)
    for t in range(5):
        features, _, state = decoder.step(x[:, t], state)
        assert_close(features, whole[:, t])


@pytest.mark.parametrize("kind", ["coverage", "hard"])
def test_refuses_what_cannot_read_a_past_that_grows(kind: str) -> None:
    message = f"decoder rnn_past: attention {kind} reads one place after another, or chooses one,"
    with pytest.raises(ShapeError, match=message):
        RnnPast(8, 8, attention=Part(Attention, kind))
