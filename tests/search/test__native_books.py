import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.flow import Few, State, Step, StepFunction, tensor
from saccade.kernels.library import found
from saccade.search._beam_hypotheses import Books
from saccade.search._native_books import NativeBooks
from saccade.search.base import Task
from saccade.search.beam import Beam
from tests.search.toys import memory_state, memory_step, memory_task

pytestmark = pytest.mark.skipif(found().kernels is None, reason=found().told)
calm = settings(  # a busy machine is no failure
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


class Short:
    """A step function that tells the best symbols alone, by sorting all of them."""

    def __init__(self, step: StepFunction) -> None:
        self.step, self.rows = step, list[int]()

    def __call__(self, token: Tensor, state: State) -> Step:
        self.rows.append(len(token))
        return self.step(token, state)

    def few(self, token: Tensor, state: State, n: int, banned: Tensor) -> Few:
        log_probs, state = self(token, state)
        log_probs = log_probs.index_fill(1, banned, -torch.inf)
        best = log_probs.sort(dim=1, descending=True, stable=True)
        gains, symbols = (one[:, :n].contiguous() for one in best)
        return Few(gains.float(), symbols, state)


@calm
@given(
    keys=st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 9)), min_size=1, max_size=6),
    width=st.integers(1, 7),
    n_completed=st.integers(0, 4),
    n_best=st.integers(1, 7),
    alpha=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    patient=st.booleans(),
)
def test_books_in_c_find_what_others_find(
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
    assert beam(Short(memory_step), state, task) == beam(memory_step, state, task)


@pytest.mark.parametrize("width", [2, 3, 20])
def test_of_equals_they_choose_the_same(width: int) -> None:
    def level(token: Tensor, state: State) -> Step:
        likely = torch.full((len(token), 40), 1 / 40).log()
        likely[:, ::3] -= tensor(state, "some")
        return Step(likely, state)

    state: State = {"some": torch.tensor([[0.0], [0.5], [1e9]])}
    task = Task(0, 39, torch.tensor([4, 7, 2]), banned=(0, 5))
    beam = Beam(width=width, n_best=width)
    assert beam(Short(level), state, task) == beam(level, state, task)


def test_sentences_that_are_done_leave_at_once() -> None:
    step = Short(memory_step)
    Beam(width=3)(step, memory_state([1, 2, 3, 4]), memory_task([0, 2, 9, 5]))
    assert step.rows[:2] == [4, 9]


def test_what_c_does_not_know_others_keep_the_books_of() -> None:
    beam, task = Beam(width=3), memory_task([2, 2])
    kept = {
        "plain": task,
        "prefix": memory_task([2, 2], prefixes=((2,), ())),
        "watch": Task(0, 1, torch.tensor([2]), watch=lambda *_: None),
        "shaper": Task(0, 1, torch.tensor([2]), shapers=(lambda _, log_probs: log_probs,)),
    }
    short = Short(memory_step)
    books = {name: type(beam._books(short, one, trace=False)) for name, one in kept.items()}
    assert books.pop("plain") is NativeBooks
    assert set(books.values()) == {Books}
    assert type(beam._books(short, task, trace=True)) is Books
    assert type(beam._books(memory_step, task, trace=False)) is Books
