"""What every recurrent cell must do."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell, unroll
from saccade.flow import State, reorder, tensor, tensors
from saccade.kernels.precision import products
from saccade.parts import Part
from tests.samples import (
    WIDTH,
    backward,
    made_by,
    missing_gradients,
    name,
    randn,
    scramble,
    variants,
)

B, T, INPUT, HIDDEN = 4, 5, 3, WIDTH
PARTS = variants(Cell)
every = pytest.mark.parametrize("part", PARTS, ids=name)
each_form = pytest.mark.usefixtures("each_form")  # by the kernels, and without them


def build(part: Part[Cell]) -> Cell:
    return scramble(part.build(INPUT, HIDDEN), scale=0.25)


def state_of(cell: Cell) -> State:
    return cell.started({part: randn(B, HIDDEN, seed=i + 5) for i, part in enumerate(cell.parts)})


@every
def test_shapes_and_parts(part: Part[Cell]) -> None:
    cell = build(part)
    output, state, gates = cell(randn(B, INPUT), cell.start(randn(B, INPUT)))
    assert output.shape == (B, HIDDEN)
    before = cell.start(output)
    assert set(cell.parts) <= set(state) == set(before)
    assert all(tensor(state, entry).shape == (B, HIDDEN) for entry in cell.parts)
    shapes = [[one.shape for one in tensors(each)] for each in (reorder_like(before, state), state)]
    assert shapes[0] == shapes[1]
    assert all(one.shape[0] == B for one in tensors(state))
    assert_close(tensor(state, "h"), output)
    assert all(((gate >= 0) & (gate <= 1)).all() for gate in gates.values())
    assert all(gate.shape == (B, HIDDEN) for gate in gates.values())


def reorder_like(state: State, other: State) -> State:
    """Put the entries of a state in the order of another."""
    return {entry: state[entry] for entry in other}


@every
def test_heads_are_somewhere(part: Part[Cell]) -> None:
    cell = build(part)
    state = cell(randn(B, INPUT), state_of(cell)).state
    found = cell.addressed(state)
    assert (found is None) == ("memory" not in state)
    if found is not None:
        n_slots, width = tensor(state, "memory").shape[1:]
        for weights, vectors in ((found.write, found.written), (found.read, found.vectors)):
            assert weights.shape == (B, vectors.shape[1], n_slots)
            assert vectors.shape[2] == width
            assert (weights >= 0).all()
            assert (weights.sum(dim=2) <= 1 + 1e-5).all()


@every
@each_form
def test_bfloat16_changes_a_sweep_by_its_rounding(part: Part[Cell]) -> None:
    cell, x = build(part).train(), randn(B, T, INPUT)
    with products("bfloat16", torch.device("cpu")):
        swept = cell.sweep(x, state_of(cell))
    backward(swept.outputs.float().sum())
    assert all(p.grad.isfinite().all() for p in cell.parameters() if p.grad is not None)
    exact = cell.sweep(x, state_of(cell)).outputs
    assert_close(swept.outputs.float(), exact, atol=0.1, rtol=0.1)


@every
def test_the_first_state_is_zeros(part: Part[Cell]) -> None:
    cell = build(part)
    state = cell.start(randn(2, INPUT))
    assert all(torch.equal(tensor(state, p), torch.zeros(2, HIDDEN)) for p in cell.parts)


@every
@each_form
@pytest.mark.parametrize("training", [True, False])
def test_a_sweep_is_all_steps(part: Part[Cell], training: bool) -> None:
    cell = build(part).train(training)
    x = randn(B, T, INPUT)
    swept, unrolled = cell.sweep(x, state_of(cell)), unroll(cell, x, state_of(cell))
    assert_close(swept.outputs, unrolled.outputs)
    assert set(swept.state) == set(unrolled.state)
    for entry in swept.state:
        assert_close(tensor(swept.state, entry), tensor(unrolled.state, entry))
    backward(swept.outputs.square().sum())
    fused = {key: p.grad for key, p in cell.named_parameters()}
    cell.zero_grad()
    backward(unroll(cell, x, state_of(cell)).outputs.square().sum())
    assert_close(fused, {key: p.grad for key, p in cell.named_parameters()})


def test_kernels_take_part(each_form: str) -> None:
    cell = build(Part(Cell, "lstm"))
    outputs = cell.sweep(randn(B, T, INPUT), state_of(cell)).outputs
    assert made_by("_Lstm", outputs) is (each_form == "kernels")


@every
def test_a_step_is_its_two_halves(part: Part[Cell]) -> None:
    cell = build(part)
    x, state = randn(B, T, INPUT), state_of(cell)
    projected = cell.project(x)
    for t in range(T):
        whole, halves = cell(x[:, t], state), cell.tick(projected[:, t], state)
        assert_close(whole.output, halves.output)
        assert_close(dict(whole.state), dict(halves.state))


@every
@each_form
def test_rows_do_not_know_of_each_other(part: Part[Cell]) -> None:
    cell = build(part)
    x, state, turn = randn(B, T, INPUT), state_of(cell), torch.tensor([2, 0, 3, 1])
    whole = cell.sweep(x, state).outputs
    turned = cell.sweep(x[turn], reorder(state, turn)).outputs
    assert_close(turned, whole[turn])
    alone = cell.sweep(x[1:2], reorder(state, torch.tensor([1]))).outputs
    assert_close(alone, whole[1:2])


@every
@each_form
def test_every_parameter_gets_a_gradient(part: Part[Cell]) -> None:
    cell = build(part).train()
    backward(cell.sweep(randn(B, T, INPUT), state_of(cell)).outputs.square().sum())
    assert missing_gradients(cell) == []


@every
def test_gradients_are_right(part: Part[Cell]) -> None:
    cell = scramble(part.build(2, 2)).double()
    start = {p: randn(2, 2, seed=i + 3, dtype=torch.float64) for i, p in enumerate(cell.parts)}

    def run(x: Tensor, *states: Tensor) -> Tensor:
        return cell.sweep(x, cell.started(dict(zip(cell.parts, states, strict=True)))).outputs

    inputs = (randn(2, 3, 2, dtype=torch.float64), *start.values())
    assert torch.autograd.gradcheck(run, tuple(one.requires_grad_() for one in inputs))


@every
@each_form
def test_weights_survive_saving(part: Part[Cell]) -> None:
    cell, other = build(part), scramble(part.build(INPUT, HIDDEN), seed=7)
    other.load_state_dict(cell.state_dict())
    x = randn(B, T, INPUT)
    assert torch.equal(
        cell.sweep(x, state_of(cell)).outputs, other.sweep(x, state_of(cell)).outputs
    )
