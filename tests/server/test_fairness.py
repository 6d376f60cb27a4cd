"""Who is next, on a clock that only the test moves: a unit of cost takes a unit of time."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from saccade.server.fairness import FairQueue, Tags
from saccade.server.jobs import Job

BATCH = 400.0  # units of cost that are computed together


def waiting(queue: FairQueue, client: str, costs: Sequence[int], request: object = None) -> None:
    """Let the texts of a request wait."""
    request = request or object()
    jobs = [Job(str(cost), pieces=cost, client=client, request=request) for cost in costs]
    queue.enter(client, request, jobs)


def served(queue: FairQueue) -> list[tuple[str, int]]:
    """Serve all that waits, one after the other; say whose it was and what it cost."""
    found = []
    while job := queue.next():
        assert queue.take(job)
        queue.charge(job, job.pieces)
        found.append((job.client, job.pieces))
    return found


def test_requests_of_one_client_take_turns() -> None:
    queue = FairQueue()
    waiting(queue, "a", [5] * 4)
    waiting(queue, "a", [2, 2, 2])
    assert [cost for _, cost in served(queue)] == [5, 2, 2, 2, 5, 5, 5]
    assert not len(queue)


def test_clients_get_the_same_however_much_they_ask_for() -> None:
    queue = FairQueue()
    waiting(queue, "greedy", [100] * 50)
    for client in "abc":
        for _ in range(10):
            waiting(queue, client, [10])
    order = served(queue)
    last = max(place for place, (client, _) in enumerate(order) if client != "greedy")
    before = [cost for client, cost in order[:last] if client == "greedy"]
    assert sum(before) <= 200  # each of the others got 100
    assert len(order) == 80


def test_nothing_is_gained_by_waiting_or_by_coming_back() -> None:
    tags = Tags()
    tags.enter("a")
    tags.charge("a", 50)
    tags.enter("late")
    assert tags["late"] == 50
    tags.charge("late", 100)
    tags.leave("late")
    tags.enter("late")
    assert tags.order() == ["a", "late"]
    assert tags["late"] == 150
    for party in ("a", "late"):
        tags.leave(party)
    tags.enter("late")
    assert tags["late"] == 0


def test_what_left_is_not_served() -> None:
    queue, request = FairQueue(), object()
    waiting(queue, "a", [1, 2], request)
    waiting(queue, "b", [3])
    job = queue.next()
    assert job is not None
    queue.leave("a", request)
    assert not queue.take(job)
    queue.charge(job, 5)
    assert served(queue) == [("b", 3)]


def test_a_short_text_may_overtake_whoever_was_served_more() -> None:
    queue, request = FairQueue(), object()
    waiting(queue, "long", [90])
    long = queue.next()
    assert long is not None
    queue.charge(long, 3)
    waiting(queue, "late", [5], request)
    late = queue.next(lambda job: job.client == "late")
    assert late is not None
    assert queue.before(late, long)  # it starts where the other is
    queue.charge(late, 1)
    assert not queue.before(late, long)
    queue.charge(long, 1)
    assert queue.before(late, long)
    waiting(queue, "long", [5])
    same = queue.next(lambda job: job.client == "long" and job is not long)
    assert same is not None
    assert queue.before(same, long)
    queue.leave("late", request)
    assert queue.before(late, long)  # and cannot be taken
    assert not queue.take(late)


@dataclass
class Times:
    """A server without threads: it computes batch after batch, and clients ask again at once."""

    queue: FairQueue = field(default_factory=FairQueue)
    now: float = 0.0
    taken: dict[str, list[float]] = field(default_factory=dict)
    since: dict[object, float] = field(default_factory=dict)
    left: dict[object, int] = field(default_factory=dict)

    def ask(self, client: str, costs: Sequence[int]) -> None:
        request = (client, self.now, len(self.since))
        self.since[request], self.left[request] = self.now, len(costs)
        waiting(self.queue, client, costs, request)

    def batch(self) -> list[str]:
        """Compute one batch; return who has an answer."""
        done, spent = [], 0.0
        while (job := self.queue.next()) and (not spent or spent + job.pieces <= BATCH):
            assert self.queue.take(job)
            self.queue.charge(job, job.pieces)
            spent += job.pieces
            done.append(job)
        self.now += spent
        answered = []
        for job in done:
            self.left[job.request] -= 1
            if not self.left[job.request]:
                self.queue.leave(job.client, job.request)
                self.taken.setdefault(job.client, []).append(self.now - self.since[job.request])
                answered.append(job.client)
        return answered


def p95(times: Times) -> float:
    ordered = sorted(t for client, several in times.taken.items() if client != "g" for t in several)
    return ordered[int(0.95 * len(ordered))]


@pytest.mark.parametrize("n_requests", [1, 8])
def test_one_greedy_client_leaves_the_others_half_at_least(n_requests: int) -> None:
    found = []
    for greedy in (False, True):
        times, dice = Times(), random.Random(3)
        polite = [str(n) for n in range(32)]
        for _ in range(n_requests if greedy else 0):
            times.ask("g", [300] * 64)
        for client in polite:
            times.ask(client, [dice.randint(5, 40)])
        for _ in range(300):
            for client in times.batch():
                times.ask(client, [300] * 64 if client == "g" else [dice.randint(5, 40)])
        assert min(len(times.taken[client]) for client in polite) > 8
        found.append(p95(times))
    assert found[1] <= 2 * found[0]
