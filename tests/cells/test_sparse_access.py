"""Sparse access: dense if it may touch all slots, and few slots are touched if not."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells._addressing import content, oneplus
from saccade.cells.base import Cell
from saccade.cells.sparse_access import SparseAccess
from saccade.errors import RecipeError
from saccade.flow import State, tensor
from saccade.parts import Part
from tests.samples import backward, randn, scramble

INPUT, HIDDEN, SLOTS, WIDTH, READS = 3, 4, 9, 5, 2


def build(nearest: int) -> SparseAccess:
    cell = SparseAccess(INPUT, HIDDEN, slots=SLOTS, width=WIDTH, reads=READS, nearest=nearest)
    return scramble(cell).double()


def dense(cell: SparseAccess, control: Tensor, state: State) -> State:
    """The same with weights over all slots, written out."""
    raw = cell.interface(control)
    keys, beta, add, alpha, gamma = raw.split([READS * WIDTH, READS, WIDTH, 1, 1], dim=1)
    alpha, gamma, before = alpha.sigmoid(), gamma.sigmoid(), tensor(state, "memory")
    free = torch.nn.functional.one_hot(tensor(state, "idle").argmax(dim=1), SLOTS).double()
    w = alpha * (gamma * tensor(state, "read").mean(dim=1) + (1 - gamma) * free)
    erased = before * (1 - (alpha * (1 - gamma) * free)[..., None])
    memory = erased + w[..., None] * add[:, None]
    read = content(memory, keys.unflatten(1, (READS, WIDTH)), oneplus(beta)[..., None])
    touched = (read.amax(dim=1) > 0.005) | (w > 0.005)
    return {
        "memory": memory,
        "read_vectors": read @ memory,
        "read": read,
        "write": w[:, None],
        "idle": (tensor(state, "idle") + 1).masked_fill(touched, 0),
    }


def test_with_all_slots_it_is_dense() -> None:
    cell, x = build(SLOTS), randn(2, 6, INPUT, dtype=torch.float64)
    state = other = cell.start(x[:, 0])
    for t in range(6):
        state = cell(x[:, t], state).state
        found = dense(cell, tensor(state, "controller"), other)
        for name in found:
            assert_close(tensor(state, name), tensor(found, name), atol=1e-5, rtol=1e-5)
        other = {**state, **found}


def test_few_slots_are_touched() -> None:
    cell, x = build(2), randn(3, 8, INPUT, dtype=torch.float64)
    state = cell.start(x[:, 0])
    for t in range(8):
        before = tensor(state, "memory")
        state = cell(x[:, t], state).state
        assert (tensor(state, "read").count_nonzero(dim=2) == 2).all()
        changed = (tensor(state, "memory") != before).any(dim=2).sum(dim=1)
        assert (changed <= READS * 2 + 1).all()
        assert_close(tensor(state, "read").sum(dim=2), torch.ones(3, READS).double())


def test_the_first_write_goes_to_the_first_slot_and_the_next_to_another() -> None:
    cell, x = build(1), randn(1, INPUT, dtype=torch.float64)
    with torch.no_grad():
        cell.interface.bias[-2:] = torch.tensor([50.0, -50.0])  # write, and only to what is idle
    state, places = cell.start(x), []
    for _ in range(3):
        state = cell(x, state).state
        places.append(tensor(state, "write")[0, 0].argmax().item())
    assert places[0] == 0
    assert len(set(places)) == 3


def test_gradients_go_through_what_was_found() -> None:
    cell = build(2).train()
    x = randn(2, 5, INPUT, dtype=torch.float64)
    backward(cell.sweep(x, cell.start(x[:, 0])).outputs.square().sum())
    assert cell.interface.weight.grad is not None
    sizes = cell.interface.weight.grad.abs().sum(dim=1)
    assert sizes[: READS * WIDTH].any()  # keys: of a head that finds more than blank slots
    assert (sizes[-WIDTH - 2 :] > 0).all()  # what is written, and the gates


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"sparse_access.nearest: found 9 of 8 slots; expected 1"):
        Part(Cell, "sparse_access", {"slots": 8, "nearest": 9}).build(INPUT, HIDDEN)
