"""A step in one call computes what the clear one computes in doubles, and its gradients."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.dnc import DNC
from saccade.flow import State, tensor
from saccade.kernels.library import found
from saccade.kernels.precision import products
from tests.samples import kernels_off, made_by, randn, scramble

pytestmark = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
INPUT, HIDDEN, STEPS = 3, 4, 3


def build(slots: int, width: int, reads: int) -> DNC:
    return scramble(DNC(INPUT, HIDDEN, slots=slots, width=width, reads=reads), scale=0.5)


def begun(cell: DNC, n_rows: int) -> State:
    """A state in which no two slots are alike, so that their order is no matter of rounding."""
    state, N = cell.start(torch.zeros(n_rows, INPUT)), cell.size.slots
    drawn = {name: randn(*tensor(state, name).shape, seed=i) for i, name in enumerate(state)}
    shares = {name: drawn[name].softmax(dim=-1) for name in ("read", "write", "precedence")}
    links = drawn["links"].sigmoid() / N
    return {
        **state,
        **shares,
        "memory": drawn["memory"],
        "links": links,
        "usage": drawn["usage"].sigmoid(),
    }


def with_gradients(cell: DNC, x: Tensor, state: State) -> list[Tensor]:
    """Return the state after some steps and the gradients of everything it depends on."""
    dtype = next(cell.parameters()).dtype
    given = {
        name: tensor(state, name).detach().to(dtype, copy=True).requires_grad_() for name in state
    }
    x = x.to(dtype, copy=True).requires_grad_()
    after = cell.sweep(x, {**given}).state
    entries = [tensor(after, name) for name in sorted(after)]
    backs = [randn(*one.shape, seed=i, dtype=dtype) for i, one in enumerate(entries)]
    wanted = [x, *given.values(), *cell.parameters()]
    gradients = torch.autograd.grad(entries, wanted, backs, materialize_grads=True)
    return [*(one.detach() for one in entries), *gradients]


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize(
    ("slots", "width", "reads"), [(1, 1, 1), (6, 5, 2), (32, 16, 1), (70, 9, 3)]
)
def test_values_and_gradients_are_the_clear_ones(
    rows: int, slots: int, width: int, reads: int
) -> None:
    cell, x = build(slots, width, reads), randn(rows, STEPS, INPUT)
    state = begun(cell, rows)
    found = with_gradients(cell, x, state)
    expected = with_gradients(cell.double(), x, state)
    for one, other in zip(found, expected, strict=True):
        assert_close(one.double(), other, rtol=1e-4, atol=2e-5 * float(other.abs().max()) + 1e-7)


def test_a_row_alone_is_the_row_in_a_batch() -> None:
    cell, x = build(6, 5, 2), randn(4, STEPS, INPUT)
    together = cell.sweep(x, cell.start(x[:, 0]))
    alone = cell.sweep(x[2:3], cell.start(x[2:3, 0]))
    for name, entry in alone.state.items():
        assert_close(entry, tensor(together.state, name)[2:3], rtol=0, atol=1e-6)


def test_slots_used_alike_are_taken_in_their_order() -> None:
    for slots in (5, 100):  # two ways of sorting
        cell = build(slots, 2, 1)
        with torch.no_grad():  # write, always, to what is free
            cell.interface.weight.zero_()
            cell.interface.bias.zero_()
            cell.interface.bias[-2:] = 40.0
        state = cell.start(torch.zeros(1, INPUT))
        for n in range(4):
            state = cell(torch.zeros(1, INPUT), state).state
            assert int(tensor(state, "write").argmax()) == n


def test_the_clear_form_is_used_without_kernels_and_in_other_precisions() -> None:
    cell, x = build(6, 5, 2), randn(2, STEPS, INPUT)
    state = begun(cell, 2)
    assert made_by("_DncStep", cell.sweep(x, state).outputs)
    with products("bfloat16", torch.device("cpu")):
        assert not made_by("_DncStep", cell.sweep(x, state).outputs)
    by_c = cell.sweep(x, state)
    with kernels_off():
        plain = cell.sweep(x, state)
    assert not made_by("_DncStep", plain.outputs)
    assert_close(by_c.outputs, plain.outputs)
