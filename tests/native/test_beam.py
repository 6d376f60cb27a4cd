import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.flow import State, Step, StepFunction, reorder, tensor
from saccade.native.beam import NativeBeam
from saccade.search.base import Found, Task
from saccade.search.beam import Beam
from tests.native.kernels import kernels, needs_kernels
from tests.search.toys import memory_state, memory_step, memory_task

pytestmark = needs_kernels
calm = settings(  # a busy machine is no failure
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def search(
    beam: Beam, step: StepFunction, state: State, task: Task, rows: list[int] | None = None
) -> list[Found]:
    """Search with hypotheses in C, given the best symbols by sorting all; note how many lines."""
    native = NativeBeam(beam.beam, task, kernels())
    while native.going:
        token = native.last
        if rows is not None:
            rows.append(len(token))
        log_probs, state = step(token, state)
        log_probs = log_probs.index_fill(1, native.banned, -torch.inf)
        best = log_probs.sort(dim=1, descending=True, stable=True)
        gains, symbols = (one[:, : 2 * beam.lines].contiguous() for one in best)
        index = native.advance(gains.float(), symbols)
        state = state if index is None else reorder(state, index)
    return native.found()


@calm
@given(
    keys=st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 9)), min_size=1, max_size=6),
    width=st.integers(1, 7),
    n_completed=st.integers(0, 4),
    n_best=st.integers(1, 7),
    alpha=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    patient=st.booleans(),
)
def test_hypotheses_in_c_are_those_of_numpy(
    keys: list[tuple[int, int]],
    width: int,
    n_completed: int,
    n_best: int,
    alpha: float,
    patient: bool,
) -> None:
    state = memory_state([key for key, _ in keys])
    task = memory_task([limit for _, limit in keys])
    beam = Beam(
        width=width,
        length_penalty=alpha,
        n_best=min(n_best, n_completed or width),
        n_completed=n_completed,
        patient=patient,
    )
    assert search(beam, memory_step, state, task) == beam(memory_step, state, task)


@pytest.mark.parametrize("width", [2, 3, 20])
def test_of_equals_they_choose_the_same(width: int) -> None:
    def level(token: Tensor, state: State) -> Step:
        likely = torch.full((len(token), 40), 1 / 40).log()
        likely[:, ::3] -= tensor(state, "some")
        return Step(likely, state)

    state: State = {"some": torch.tensor([[0.0], [0.5], [1e9]])}
    task = Task(0, 39, torch.tensor([4, 7, 2]), banned=(0, 5))
    beam = Beam(width=width, n_best=width)
    assert search(beam, level, state, task) == beam(level, state, task)


def test_sentences_that_are_done_leave_at_once() -> None:
    rows: list[int] = []
    state, task = memory_state([1, 2, 3, 4]), memory_task([0, 2, 9, 5])
    search(Beam(width=3), memory_step, state, task, rows)
    assert rows[:2] == [4, 9]
