"""Gates held open or shut."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell, unroll
from saccade.cells.clamped import Clamped, gates_of
from saccade.cells.gru import GRU
from saccade.cells.lstm import LSTM
from saccade.errors import RecipeError
from saccade.flow import State, tensor
from saccade.parts import Part, kinds
from tests.samples import backward, missing_gradients, randn, scramble

X = randn(2, 5, 3)


def swept(cell: Cell, state: State) -> Tensor:
    return cell.sweep(X, cell.started(state)).outputs


def memories(cell: Cell) -> Tensor:
    state, found = cell.start(X), []
    for t in range(X.shape[1]):
        state = cell(X[:, t], state).state
        found.append(tensor(state, "c"))
    return torch.stack(found, dim=1)


@pytest.mark.parametrize("kind", kinds(Cell))
def test_with_nothing_clamped_it_is_the_cell(kind: str) -> None:
    inner = scramble(Part(Cell, kind).build(3, 4))
    assert_close(swept(Clamped.around(inner, {}), inner.start(X)), swept(inner, inner.start(X)))


@pytest.mark.parametrize("kind", ["lstm", "gru", "mut1", "mut2", "mut3"])
def test_a_clamped_gate_is_nought_or_one_exactly(kind: str) -> None:
    inner = scramble(Part(Cell, kind).build(3, 4), scale=3.0)
    before = {"h": randn(2, 4, seed=2), "c": randn(2, 4, seed=3)}
    state = inner.started({part: before[part] for part in inner.parts})
    free = inner(X[:, 0], state).gates
    assert gates_of(inner)
    for gate in gates_of(inner):
        for value in (0.0, 1.0):
            gates = Clamped.around(inner, {gate: value})(X[:, 0], state).gates
            assert (gates[gate] == value).all()
            other = next(name for name in free if name != gate)
            assert_close(gates[other], free[other])


def test_an_lstm_without_a_past_adds_up_or_is_empty() -> None:
    inner = scramble(LSTM(3, 4))

    def held(**gates: float) -> Tensor:
        return memories(Clamped.around(inner, gates))

    assert (held(forget=0, input=0) == 0).all()
    free = LSTM(3, 4)
    free.load_state_dict(inner.state_dict())
    free.U.data.zero_()  # so that what is written does not depend on the past
    write = free.project(X).chunk(4, dim=2)[2].tanh()
    assert_close(memories(Clamped.around(free, {"forget": 1, "input": 1})), write.cumsum(dim=1))
    assert_close(memories(Clamped.around(free, {"forget": 0, "input": 1})), write)


def test_an_input_gate_held_open_is_one_taken_out() -> None:
    ablated = scramble(LSTM(3, 4, without="input"))
    full = scramble(LSTM(3, 4), seed=3)
    for mine, theirs in ((full.W, ablated.W), (full.U, ablated.U), (full.b, ablated.b)):
        mine.data[4:].copy_(theirs.data)
    found = swept(Clamped.around(full, {"input": 1}), full.start(X))
    assert_close(found, swept(ablated, full.start(X)))


def test_a_gru_that_updates_nothing_keeps_its_state() -> None:
    inner, h = scramble(GRU(3, 4)), randn(2, 4, seed=5)
    kept = swept(Clamped.around(inner, {"update": 1}), {"h": h})
    assert_close(kept, h[:, None].expand(-1, 5, -1))


def test_a_recipe_names_it() -> None:
    part = Part(Cell, "clamped", {"cell": Part(Cell, "gru"), "gates": {"reset": 1}})
    cell = scramble(part.build(3, 4)).train()
    assert cell.parts == ("h",)
    outputs = swept(cell, cell.start(X))
    assert_close(outputs, unroll(cell, X, cell.start(X)).outputs)
    backward(outputs.square().sum())
    assert missing_gradients(cell) == []
    rows = cell.get_parameter("cell.W").grad
    assert rows is not None
    assert (rows[:4] == 0).all()  # nothing is learned of a gate that is clamped


def test_what_is_no_gate_or_no_clamp_is_refused() -> None:
    expected = r"found {}; expected 0 or 1 for some of the gates of LSTM: input, forget, output\."
    for gates, found in (({"forget": 0.5}, "forget: 0.5"), ({"reset": 1.0}, "reset")):
        with pytest.raises(RecipeError, match=expected.format(found)):
            Clamped(3, 4, gates=gates)
    with pytest.raises(RecipeError, match="gates of Elman: it has none"):
        Clamped(3, 4, cell=Part(Cell, "elman"), gates={"forget": 1.0})
