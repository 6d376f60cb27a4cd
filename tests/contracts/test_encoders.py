"""What every encoder must do."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.samples import (
    SMALL,
    backward,
    mask_of,
    missing_gradients,
    name,
    randn,
    readers,
    scramble,
    variants,
)

DIM, LENGTHS = 8, (4, 6, 1, 3)
RNN = {k: v for k, v in SMALL.items() if k != "feed_forward"}
TRANSFORMER = {k: v for k, v in SMALL.items() if k != "hidden"}
READERS = readers(DIM)
PARTS = [
    *variants(Encoder),
    *(Part(Encoder, "rnn", {**RNN, "cell": cell}) for cell in variants(Cell)),
    Part(Encoder, "pyramid", {**RNN, "layers": 3}),
    Part(Encoder, "transformer", {**TRANSFORMER, "neighbourhood": 2}),
    *(Part(Encoder, "transformer", {**TRANSFORMER, "attention": part}) for part in READERS),
    *(
        Part(Encoder, "transformer", {**TRANSFORMER, "positions": part})
        for part in variants(Positions)
    ),
    *(Part(Encoder, "conv_s2s", {**RNN, "kernel": kernel}) for kernel in (1, 2, 5)),
    *(Part(Encoder, "kernels", {"widths": widths, "dropout": 0.0}) for widths in ([2], [1, 4, 9])),
]
every = pytest.mark.parametrize("part", PARTS, ids=name)


def build(part: Part[Encoder]) -> Encoder:
    return scramble(part.build(DIM))


def source(extra: int = 0) -> Padded:
    mask = mask_of(*LENGTHS)
    values = torch.cat([randn(*mask.shape, DIM), randn(len(mask), extra, DIM, seed=4)], dim=1)
    ends = torch.zeros(values.shape[:2], dtype=torch.bool)
    ends[:, 1] = ends[1, 4] = True
    return Padded(values, mask_of(*LENGTHS, size=values.shape[1]), ends)


def rows(padded: Padded, index: Tensor, size: int) -> Padded:
    assert padded.ends is not None
    return Padded(padded.values[index, :size], padded.mask[index, :size], padded.ends[index, :size])


@every
def test_shapes(part: Part[Encoder]) -> None:
    encoder = build(part)
    memory: Memory = encoder(source())
    n = memory.states.shape[1]
    assert memory.states.shape == (4, n, encoder.memory_dim)
    assert memory.summary.shape == (4, encoder.memory_dim)
    assert memory.mask.shape == (4, n)
    if memory.places is None:
        assert torch.equal(memory.mask, source().mask)


@every
def test_every_place_of_the_source_is_somewhere_in_the_memory(part: Part[Encoder]) -> None:
    memory: Memory = build(part)(source())
    evenly = memory.mask / memory.mask.sum(dim=1, keepdim=True)  # [B, M]
    shared = memory.over_source(evenly[:, None, None])[:, 0, 0]  # [B, S]
    assert shared.shape == source().mask.shape
    assert torch.equal(shared > 0, source().mask)
    assert_close(shared.sum(dim=1), torch.ones(4))


@every
def test_adding_padding_changes_nothing(part: Part[Encoder]) -> None:
    encoder = build(part)
    before, after = encoder(source()), encoder(source(extra=3))
    assert_close(after.states[:, : before.states.shape[1]], before.states)
    assert_close(after.summary, before.summary)
    assert (after.states[~after.mask] == 0).all()
    if after.values is not None:
        assert_close(after.values[:, :6], before.values)
        assert (after.values[~after.mask] == 0).all()


@every
def test_what_stands_in_the_padding_changes_nothing(part: Part[Encoder]) -> None:
    encoder, padded = build(part), source()
    other = Padded(
        padded.values.masked_fill(~padded.mask[:, :, None], 5.0), padded.mask, padded.ends
    )
    assert_close(encoder(other).states, encoder(padded).states)
    assert_close(encoder(other).summary, encoder(padded).summary)


@every
def test_rows_do_not_know_of_each_other(part: Part[Encoder]) -> None:
    encoder, padded = build(part), source()
    whole = encoder(padded)
    turn = torch.tensor([2, 0, 3, 1])
    turned = encoder(rows(padded, turn, 6))
    assert_close(turned.states, whole.states[turn])
    assert_close(turned.summary, whole.summary[turn])
    for i, n in enumerate(LENGTHS):
        alone = encoder(rows(padded, torch.tensor([i]), n))
        assert_close(alone.states[0], whole.states[i, : alone.states.shape[1]])
        assert_close(alone.summary[0], whole.summary[i])


@every
def test_a_row_of_nothing_gives_nothing_and_does_no_harm(part: Part[Encoder]) -> None:
    encoder, padded = build(part), source()
    mask = padded.mask.clone()
    mask[1] = False
    values = padded.values.clone().requires_grad_()
    memory = encoder(Padded(values, mask, padded.ends))
    assert (memory.states[1] == 0).all()
    assert (memory.summary[1] == 0).all()
    n = memory.states.shape[1]
    assert_close(memory.states[0], encoder(padded).states[0, :n])
    backward(memory.states.sum() + memory.summary.sum())
    assert values.grad is not None
    assert values.grad.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in encoder.parameters())


@every
def test_every_parameter_gets_a_gradient(part: Part[Encoder]) -> None:
    encoder = build(part).train()
    memory = encoder(source())
    backward((memory.states * randn(*memory.states.shape, seed=3)).sum())
    assert missing_gradients(encoder) == []


@every
def test_weights_survive_saving(part: Part[Encoder]) -> None:
    encoder, other = build(part), scramble(part.build(DIM), seed=7)
    other.load_state_dict(encoder.state_dict())
    assert torch.equal(encoder(source()).states, other(source()).states)
