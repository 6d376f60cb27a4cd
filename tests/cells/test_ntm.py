"""The Neural Turing Machine: one step by its equations, and what its options refuse."""

import pytest
import torch
from torch.nn.functional import softplus
from torch.testing import assert_close

from saccade.cells._addressing import content, interpolate, sharpen, shift
from saccade.cells.base import Cell
from saccade.cells.ntm import NTM
from saccade.errors import RecipeError
from saccade.flow import tensor
from saccade.parts import Part
from tests.samples import randn, scramble

INPUT, HIDDEN, SLOTS, WIDTH = 3, 4, 6, 5


def build(reads: int = 1) -> NTM:
    return scramble(NTM(INPUT, HIDDEN, slots=SLOTS, width=WIDTH, reads=reads))


def test_a_step_is_its_equations() -> None:
    cell, x = build(), randn(2, INPUT)
    state = cell(randn(2, INPUT, seed=4), cell.start(x)).state  # something is in the memory
    after = cell(x, state).state
    control, memory = tensor(after, "controller"), tensor(state, "memory")
    raw = cell.heads(control)
    n = WIDTH + 6
    for head, name in ((0, "read"), (1, "write")):
        k, beta, g, gamma, s = raw[:, None, head * n : (head + 1) * n].split([WIDTH, 1, 1, 1, 3], 2)
        w = content(memory, k.tanh(), softplus(beta))
        w = interpolate(w, tensor(state, name), g.sigmoid())
        w = sharpen(shift(w, s.softmax(dim=2)), 1 + softplus(gamma))
        assert_close(tensor(after, name), w)
    e, a = raw[:, 2 * n :].split(WIDTH, dim=1)
    w = tensor(after, "write").transpose(1, 2)
    assert_close(
        tensor(after, "memory"), memory * (1 - w * e.sigmoid()[:, None]) + w * a.tanh()[:, None]
    )
    assert_close(tensor(after, "read_vectors"), tensor(after, "read") @ memory)
    r = tensor(after, "read_vectors").flatten(1)
    assert_close(tensor(after, "h"), cell.output(torch.cat([control, r], dim=1)))


def test_what_was_read_reaches_the_controller() -> None:
    cell = build()
    state = cell.start(randn(1, INPUT))
    other = {**state, "read_vectors": randn(1, 1, WIDTH)}
    one, two = (cell(randn(1, INPUT), s).state for s in (state, other))
    assert not torch.equal(tensor(one, "controller"), tensor(two, "controller"))


@pytest.mark.parametrize("controller", ["lstm", "gru", "elman", "mut1", "feedforward", "clockwork"])
def test_any_cell_can_be_the_controller(controller: str) -> None:
    part = Part(Cell, "ntm", {"controller": controller, "slots": SLOTS, "width": WIDTH})
    cell = part.build(INPUT, 8)
    swept = cell.sweep(randn(2, 3, INPUT), cell.start(randn(2, INPUT)))
    assert swept.outputs.shape == (2, 3, 8)


def test_heads_start_at_the_first_slot_of_a_blank_memory() -> None:
    state = build(reads=2).start(randn(3, INPUT))
    assert tensor(state, "read").shape == (3, 2, SLOTS)
    assert (tensor(state, "read")[:, :, 0] == 1).all()
    assert (tensor(state, "memory") == 1e-6).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slots": 0}, r"ntm.slots: found 0; expected 1 to 65,536. Change it"),
        ({"width": 5000}, r"ntm.width: found 5000; expected 1 to 4,096"),
        ({"reads": 0}, r"ntm.reads: found 0; expected 1 to 64"),
        ({"reach": 0}, r"ntm.reach: found 0 with 128 slots; expected 1 or more, and less than"),
        ({"reach": 64}, r"ntm.reach: found 64 with 128 slots"),
        ({"controller": "dnc"}, r"ntm.controller: dnc has a memory of its own; expected a cell"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, int | str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Part(Cell, "ntm", options).build(INPUT, HIDDEN)
