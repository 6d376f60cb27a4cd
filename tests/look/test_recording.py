"""Cells caught at work."""

import pytest
import torch

from saccade.cells.base import Cell
from saccade.flow import tensor
from saccade.look.recording import record
from saccade.models.base import Model
from saccade.parts import Part, kinds
from tests import samples


def names(model: Model) -> list[str]:
    batch = samples.batch_of(([5, 6, 7], [5, 6]))
    return [reel.name for reel in record(model, lambda m: m(batch))]


def test_every_cell_is_named() -> None:
    rnn = samples.untrained("bahdanau")
    assert names(rnn) == ["encoder 1 forward", "encoder 1 backward", "decoder 1"]
    assert names(samples.untrained("pre")) == []


def test_the_model_is_left_as_it_was() -> None:
    model = samples.untrained("luong")
    record(model, lambda m: m(samples.pairs_batch()))
    assert all("sweep" not in vars(m) and "tick" not in vars(m) for m in model.modules())


@pytest.mark.parametrize("kind", kinds(Cell))
def test_a_replay_is_what_was_played(kind: str) -> None:
    cell = samples.scramble(Part(Cell, kind).build(3, 4))
    x = samples.randn(2, 5, 3)

    def by_steps(one: Cell) -> None:
        state = one.start(x)
        for t in range(5):
            state = one(x[:, t], state).state

    swept = cell.sweep(x, cell.start(x)).outputs
    for work in (lambda one: one.sweep(x, one.start(x)), by_steps):
        (reel,) = record(torch.nn.ModuleList([cell]), lambda m, work=work: work(m[0]))  # type: ignore[misc]
        outputs = [tensor(state, "h") for state in reel.replay()[1:]]
        torch.testing.assert_close(torch.stack(outputs, dim=1), swept, rtol=1e-4, atol=1e-5)


def test_a_backward_cell_is_turned_round() -> None:
    model = samples.untrained("bahdanau")
    batch = samples.batch_of(([5, 6, 7], [5]))
    reels = record(model, lambda m: m(batch))
    assert [reel.backward for reel in reels] == [False, True, False]
    with torch.no_grad():
        states = model.reading(batch.sources).states  # type: ignore[operator]
    found = torch.cat([reel.memory()[1] for reel in reels[:2]], dim=2)
    torch.testing.assert_close(found, states, rtol=1e-4, atol=1e-5)


def test_an_lstm_shows_its_memory() -> None:
    model = samples.untrained("luong")
    entry, found = record(model, lambda m: m(samples.batch_of(([5, 6], [5]))))[-1].memory()
    assert entry == "c"
    assert found.shape[1] == 2


def test_gates_are_those_of_every_step() -> None:
    cell = samples.scramble(Part(Cell, "lstm").build(3, 4))
    x = samples.randn(2, 5, 3)

    def work(one: torch.nn.ModuleList) -> object:
        return one[0].sweep(x, one[0].start(x))  # type: ignore[operator]

    (reel,) = record(torch.nn.ModuleList([cell]), work)
    found, state = reel.gates(), cell.start(x)
    for t in range(5):
        _, state, gates = cell(x[:, t], state)
        for name, gate in gates.items():
            torch.testing.assert_close(found[name][:, t], gate)
    elman = Part(Cell, "elman").build(3, 4)
    (reel,) = record(torch.nn.ModuleList([elman]), work)
    assert reel.gates() == {}
