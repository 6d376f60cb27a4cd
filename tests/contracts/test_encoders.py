"""What every encoder must do."""

import itertools

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.samples import (
    SMALL,
    WIDTH,
    backward,
    made_by,
    mask_of,
    missing_gradients,
    name,
    randn,
    readers,
    scramble,
    variants,
)

DIM, LENGTHS = WIDTH, (4, 6, 1, 3)
RNN = {k: SMALL[k] for k in ("hidden", "layers", "dropout")}
TRANSFORMER = {k: SMALL[k] for k in ("layers", "feed_forward", "dropout")}
READERS = readers(DIM)
MULTIHEAD = Part(Attention, "multihead", {"heads": 2})
PARTS = [
    *variants(Encoder),
    *(Part(Encoder, "rnn", {**RNN, "cell": cell}) for cell in variants(Cell)),
    Part(Encoder, "rnn", {**RNN, "layers": 2, "carry": True}),
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
FORMS = [*((part, False) for part in PARTS), *((p, True) for p in PARTS if p.build(DIM).nested)]
every = pytest.mark.parametrize(
    ("part", "turns"),
    FORMS,
    ids=[name(part) + "-turns" * turns for part, turns in FORMS],
)
each_form = pytest.mark.usefixtures("each_form")  # by the kernels, and without them
TURNS = (2, 3, 1)  # places of the first turn, the second and the third


def build(part: Part[Encoder]) -> Encoder:
    return scramble(part.build(DIM), scale=0.25)


def source(*, turns: bool = False, extra: int = 0) -> Padded:
    """Sequences `[4, 6 + extra, D]`; or the same in turns, `[4, 3 + extra, 3 + extra, D]`."""
    mask = mask_of(*LENGTHS)
    values = torch.cat([randn(*mask.shape, DIM), randn(len(mask), extra, DIM, seed=4)], dim=1)
    if not turns:
        return Padded(values, mask_of(*LENGTHS, size=values.shape[1]))
    nested = randn(len(mask), 3 + extra, 3 + extra, DIM, seed=5)
    kept = torch.zeros(nested.shape[:3], dtype=torch.bool)
    for n, (end, size) in enumerate(zip(itertools.accumulate(TURNS), TURNS, strict=True)):
        here = slice(end - size, end)
        nested[:, n, :size], kept[:, n, :size] = values[:, here], mask[:, here]
    return Padded(nested, kept)


def alone(padded: Padded, row: int) -> Padded:
    """Take one row without the padding that others brought."""
    values, mask = padded.values[row : row + 1], padded.mask[row : row + 1]
    for dim in range(1, mask.dim()):
        others = [d for d in range(mask.dim()) if d != dim]
        n = int(mask.sum(dim=others).count_nonzero())
        values, mask = values.narrow(dim, 0, n), mask.narrow(dim, 0, n)
    return Padded(values, mask)


@pytest.mark.parametrize(
    ("part", "function"),
    [
        (Part(Encoder, "rnn", {**RNN, "cell": Part(Cell, "lstm")}), "_BidirectionalLstm"),
        (Part(Encoder, "transformer", {**TRANSFORMER, "attention": MULTIHEAD}), "_Attention"),
    ],
    ids=name,
)
def test_kernels_take_part(part: Part[Encoder], function: str, each_form: str) -> None:
    states = build(part).read(source()).states
    assert made_by(function, states) is (each_form == "kernels")


@every
def test_shapes(part: Part[Encoder], turns: bool) -> None:
    encoder = build(part)
    memory: Memory = encoder.read(source(turns=turns))
    n = memory.states.shape[1]
    assert memory.states.shape == (4, n, encoder.memory_dim)
    assert memory.summary.shape == (4, encoder.memory_dim)
    assert memory.mask.shape == (4, n)
    if memory.places is None:
        assert torch.equal(memory.mask, source(turns=turns).flat().mask)
    if not encoder.nested:  # how many turns there are does not follow from the places
        lengths = source(turns=turns).flat().mask.sum(dim=1).tolist()
        assert [encoder.n_states(length) for length in lengths] == memory.mask.sum(dim=1).tolist()


@every
def test_every_place_of_the_source_is_in_the_memory(part: Part[Encoder], turns: bool) -> None:
    memory: Memory = build(part).read(source(turns=turns))
    evenly = memory.mask / memory.mask.sum(dim=1, keepdim=True)  # [B, M]
    shared = memory.over_source(evenly[:, None, None])[:, 0, 0]  # [B, S]
    places = source(turns=turns).flat().mask
    assert shared.shape == places.shape
    assert torch.equal(shared > 0, places)
    assert_close(shared.sum(dim=1), torch.ones(4))


@every
@each_form
def test_adding_padding_changes_nothing(part: Part[Encoder], turns: bool) -> None:
    encoder = build(part)
    before = encoder.read(source(turns=turns))
    after = encoder.read(source(turns=turns, extra=3))
    assert_close(after.states[:, : before.states.shape[1]], before.states)
    assert_close(after.summary, before.summary)
    assert (after.states[~after.mask] == 0).all()
    if after.values is not None:
        assert_close(after.values[:, :6], before.values)
        assert (after.values[~after.mask] == 0).all()


@every
@each_form
def test_what_stands_in_the_padding_changes_nothing(part: Part[Encoder], turns: bool) -> None:
    encoder, padded = build(part), source(turns=turns)
    other = Padded(padded.values.masked_fill(~padded.mask[..., None], 5.0), padded.mask)
    assert_close(encoder.read(other).states, encoder.read(padded).states)
    assert_close(encoder.read(other).summary, encoder.read(padded).summary)


@every
@each_form
def test_rows_do_not_know_of_each_other(part: Part[Encoder], turns: bool) -> None:
    encoder, padded = build(part), source(turns=turns)
    whole = encoder.read(padded)
    turn = torch.tensor([2, 0, 3, 1])
    turned = encoder.read(padded.rows(turn))
    assert_close(turned.states, whole.states[turn])
    assert_close(turned.summary, whole.summary[turn])
    for i in range(len(LENGTHS)):
        one = encoder.read(alone(padded, i))
        assert_close(one.states[0], whole.states[i, : one.states.shape[1]])
        assert_close(one.summary[0], whole.summary[i])


@every
@each_form
def test_a_row_of_nothing_gives_nothing_and_does_no_harm(part: Part[Encoder], turns: bool) -> None:
    encoder, padded = build(part), source(turns=turns)
    mask = padded.mask.clone()
    mask[1] = False
    values = padded.values.clone().requires_grad_()
    memory = encoder.read(Padded(values, mask))
    assert (memory.states[1] == 0).all()
    assert (memory.summary[1] == 0).all()
    n = memory.states.shape[1]
    assert_close(memory.states[0], encoder.read(padded).states[0, :n])
    backward(memory.states.sum() + memory.summary.sum())
    assert values.grad is not None
    assert values.grad.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in encoder.parameters())


@every
@each_form
def test_every_parameter_gets_a_gradient(part: Part[Encoder], turns: bool) -> None:
    encoder = build(part).train()
    one = source(turns=turns or encoder.nested)  # of a single turn there is none before it
    memory = encoder.read(Padded(one.values.requires_grad_(), one.mask))
    backward((memory.states * randn(*memory.states.shape, seed=3)).sum())
    assert missing_gradients(encoder) == []


@every
@each_form
def test_weights_survive_saving(part: Part[Encoder], turns: bool) -> None:
    encoder, other = build(part), scramble(part.build(DIM), seed=7)
    other.load_state_dict(encoder.state_dict())
    one = source(turns=turns)
    assert torch.equal(encoder.read(one).states, other.read(one).states)


@pytest.mark.parametrize("part", PARTS, ids=name)
def test_an_encoder_that_knows_no_turns_reads_them_end_to_end(part: Part[Encoder]) -> None:
    encoder = build(part)
    turned, plain = encoder.read(source(turns=True)), encoder.read(source())
    if not encoder.nested:
        assert_close(turned.states, plain.states)
        assert_close(turned.summary, plain.summary)
    else:
        assert not torch.allclose(turned.summary, plain.summary)


@pytest.mark.parametrize(
    "part", [one for one in PARTS if one.kind == "transformer" and "positions" in one.options]
)
def test_order_is_seen_unless_there_are_no_positions(part: Part[Encoder]) -> None:
    encoder, x, turn = build(part), randn(1, 4, DIM), torch.tensor([2, 0, 3, 1])
    straight, turned = (encoder.read(Padded(one, mask_of(4))) for one in (x, x[:, turn]))
    difference = (turned.states - straight.states[:, turn]).abs().max()
    assert bool(difference < 1e-5) is (part.options["positions"].kind == "none")
