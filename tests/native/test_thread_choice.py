from collections.abc import Callable, Iterator

import pytest
import torch

from saccade.native import thread_choice
from saccade.native.thread_choice import ThreadChoice

MUCH = 1 << 22


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


class Clock:
    """Calls that take as long as they are told to, by the number of threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.seconds, self.threads = 0.0, {1: 1.0, 2: 1.0}, list[int]()
        monkeypatch.setattr(thread_choice, "perf_counter", lambda: self.now)

    def call(self, threads: int) -> None:
        self.threads.append(threads)
        self.now += self.seconds[threads]

    def run(self, some: ThreadChoice, n: int, products: int = MUCH) -> list[int]:
        """Make calls and return with how many threads each was made."""
        self.threads.clear()
        for _ in range(n):
            some.run(products, self.call)
        return self.threads.copy()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_second_thread_is_for_much_work(clock: Clock) -> None:
    assert set(clock.run(ThreadChoice(), 50, thread_choice._SMALL - 1)) == {1}
    assert 2 in clock.run(ThreadChoice(), 2, thread_choice._SMALL)


def test_one_thread_is_never_two(clock: Clock) -> None:
    torch.set_num_threads(1)
    assert set(clock.run(ThreadChoice(), 50)) == {1}


@pytest.mark.parametrize("faster", [1, 2])
def test_both_ways_are_tried_and_the_faster_is_kept(clock: Clock, faster: int) -> None:
    clock.seconds[faster] = 0.5
    known = ThreadChoice()
    assert sorted(clock.run(known, thread_choice._TRIALS)) == [1] * 4 + [2] * 4
    assert set(clock.run(known, thread_choice._SOON - 1)) == {faster}
    assert clock.run(known, 1) == [3 - faster], "the other is tried again"
    later = clock.run(known, 20_000)
    assert 0 < later.count(3 - faster) < 20, "and more and more seldom"


def test_who_becomes_slower_is_left(clock: Clock) -> None:
    clock.seconds[2] = 0.5
    known = ThreadChoice()
    clock.run(known, 100)
    clock.seconds[2] = 40.0  # the other core has something else to do
    assert clock.run(known, 40).count(2) <= 2
    clock.seconds[2] = 0.5
    assert clock.run(known, 20_000)[-1] == 2, "and is come back to"


def test_calls_of_another_size_are_judged_by_themselves(clock: Clock) -> None:
    known = ThreadChoice()
    clock.seconds[2] = 0.5
    clock.run(known, 30)
    clock.seconds[2] = 2.0
    assert set(clock.run(known, 30, 8 * MUCH)[thread_choice._TRIALS :]) == {1}


def test_calls_that_do_more_are_judged_by_what_they_did(clock: Clock) -> None:
    def more(threads: int) -> int:
        clock.call(threads)
        return 5 * threads

    known, clock.seconds = ThreadChoice(), {1: 1.0, 2: 1.5}
    for _ in range(thread_choice._TRIALS + 9):
        known.run(MUCH, more)
    assert set(clock.threads[thread_choice._TRIALS :]) == {2}


def test_what_a_call_raises_is_raised() -> None:
    def fail(_: int) -> None:
        raise RuntimeError("no")

    run: Callable[[], None] = lambda: ThreadChoice().run(MUCH, fail)  # noqa: E731
    with pytest.raises(RuntimeError, match="no"):
        run()
