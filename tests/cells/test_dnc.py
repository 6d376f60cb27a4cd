"""The Differentiable Neural Computer: one step by its equations, and what a memory is for."""

import pytest
import torch
from torch.testing import assert_close

from saccade.cells._addressing import (
    Links,
    allocation,
    content,
    follow,
    oneplus,
    relink,
    retention,
    usage,
)
from saccade.cells.base import Cell
from saccade.cells.dnc import DNC
from saccade.errors import RecipeError
from saccade.flow import tensor
from saccade.parts import Part
from tests.samples import randn, scramble

INPUT, HIDDEN, SLOTS, WIDTH, READS = 3, 4, 6, 5, 2


def build() -> DNC:
    return scramble(DNC(INPUT, HIDDEN, slots=SLOTS, width=WIDTH, reads=READS))


def test_a_step_is_its_equations() -> None:
    cell, x = build(), randn(2, INPUT)
    state = cell.start(x)
    for seed in (4, 5):  # something is in the memory, and linked
        state = cell(randn(2, INPUT, seed=seed), state).state
    after = cell(x, state).state
    raw = cell.interface(tensor(after, "controller"))
    sizes = [READS * WIDTH, READS, READS, READS * 3, WIDTH, 1, WIDTH, WIDTH, 1, 1]
    k_r, beta_r, free, modes, k_w, beta_w, e, v, g_a, g_w = raw.split(sizes, dim=1)
    memory, reads = tensor(state, "memory"), tensor(state, "read")
    psi = retention(free.sigmoid()[..., None], reads)
    u = usage(tensor(state, "usage"), tensor(state, "write")[:, 0], psi)
    c = content(memory, k_w[:, None], oneplus(beta_w)[..., None])[:, 0]
    w = g_w.sigmoid() * (g_a.sigmoid() * allocation(u) + (1 - g_a.sigmoid()) * c)
    assert_close(tensor(after, "write")[:, 0], w)
    written = memory * (1 - w[..., None] * e.sigmoid()[:, None]) + w[..., None] * v[:, None]
    assert_close(tensor(after, "memory"), written)
    links = relink(Links(tensor(state, "links"), tensor(state, "precedence")), w)
    back, on = follow(links.links, reads)
    by_content = content(written, k_r.unflatten(1, (READS, WIDTH)), oneplus(beta_r)[..., None])
    pi = modes.unflatten(1, (READS, 3)).softmax(dim=2)
    w_r = pi[..., :1] * back + pi[..., 1:2] * by_content + pi[..., 2:] * on
    assert_close(tensor(after, "read"), w_r)
    assert_close(tensor(after, "read_vectors"), w_r @ written)
    assert_close(tensor(after, "links"), links.links)


def test_fresh_slots_are_written_one_after_the_other() -> None:
    cell = build()
    with torch.no_grad():  # write, always, to what is free; free nothing
        cell.interface.weight.zero_()
        bias = cell.interface.bias.zero_()
        bias[-2:] = 50.0
        bias[READS * WIDTH + READS : READS * WIDTH + 2 * READS] = -50.0
    state, places = cell.start(randn(1, INPUT)), []
    for t in range(SLOTS):
        state = cell(randn(1, INPUT, seed=t), state).state
        places.append(tensor(state, "write")[0, 0].argmax().item())
    assert places == list(range(SLOTS))


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"dnc.reads: found 65; expected 1 to 64. Change it"):
        Part(Cell, "dnc", {"reads": 65}).build(INPUT, HIDDEN)
