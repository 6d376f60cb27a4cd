"""Who is next: jobs that wait, in the order that is fair to clients and to their requests.

Two levels of start-time fair queueing (Goyal, Vin & Cheng 1996). Clients are equals, and so are the
requests of one client: a small request does not wait for a large one. No clock and no thread here.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from saccade.server.jobs import Job


class Tags:
    """What each of several parties was served so far, on one scale.

    Whoever enters starts at the least of those who are there, or where it left if that is more: a
    party gains nothing by waiting, nor by leaving and coming back. When all have left, all is
    forgotten.
    """

    def __init__(self) -> None:
        self._served: dict[Hashable, float] = {}
        self._there: dict[Hashable, int] = {}  # how often it entered

    def __contains__(self, party: Hashable) -> bool:
        return party in self._there

    def __getitem__(self, party: Hashable) -> float:
        return self._served[party]

    def get(self, party: Hashable) -> float:
        """Return what a party was served; 0 if it has left."""
        return self._served[party] if party in self._there else 0.0

    def enter(self, party: Hashable) -> None:
        """Let a party in; once more, if it is in."""
        if party not in self._there:
            self._served[party] = max(self._served.get(party, 0.0), self._least)
        self._there[party] = self._there.get(party, 0) + 1

    def leave(self, party: Hashable) -> None:
        """Let a party out that entered."""
        self._there[party] -= 1
        if self._there[party]:
            return
        del self._there[party]
        least = self._least
        debts = self._served.items()
        self._served = {p: s for p, s in debts if p in self._there or (self._there and s > least)}

    def charge(self, party: Hashable, cost: float) -> None:
        """Say that a party was served; one that has left pays nothing."""
        if party in self._there:
            self._served[party] += cost

    def order(self) -> list[Hashable]:
        """Return who is there, whoever was served least first; of equals who came first."""
        return sorted(self._there, key=self._served.__getitem__)

    @property
    def _least(self) -> float:
        return min((self._served[party] for party in self._there), default=0.0)


@dataclass(slots=True)
class _Client:
    tags: Tags = field(default_factory=Tags)
    waiting: dict[Hashable, list[Job]] = field(default_factory=dict)  # by request


class FairQueue:
    """Jobs that wait, by client and request."""

    def __init__(self) -> None:
        self._tags = Tags()
        self._clients: dict[Hashable, _Client] = {}

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Job]:
        for client in self._clients.values():
            for jobs in client.waiting.values():
                yield from jobs

    def enter(self, client: str, request: Hashable, jobs: Iterable[Job]) -> None:
        """Let a request wait; it has a place in the order until it leaves."""
        self._tags.enter(client)
        found = self._clients.setdefault(client, _Client())
        found.tags.enter(request)
        found.waiting[request] = list(jobs)

    def leave(self, client: str, request: Hashable) -> None:
        """Forget a request, and the jobs of it that still wait."""
        found = self._clients[client]
        del found.waiting[request]
        found.tags.leave(request)
        self._tags.leave(client)
        if client not in self._tags:
            del self._clients[client]

    def next(self, fits: Callable[[Job], bool] = lambda _: True) -> Job | None:
        """Return the job that is next among those that fit, and leave it where it is."""
        for name in self._tags.order():
            client = self._clients[name]
            for request in client.tags.order():
                for job in client.waiting[request]:
                    if fits(job):
                        return job
        return None

    def take(self, job: Job) -> bool:
        """Take a job out; False if it has been dropped meanwhile."""
        client = self._clients.get(job.client)
        jobs = client.waiting.get(job.request, []) if client else []
        if job not in jobs:
            return False
        jobs.remove(job)
        return True

    def charge(self, job: Job, cost: float) -> None:
        """Let a job's client and request pay."""
        self._tags.charge(job.client, cost)
        if job.client in self._clients:
            self._clients[job.client].tags.charge(job.request, cost)

    def before(self, one: Job, other: Job) -> bool:
        """Tell whether a job that waits may overtake another, which is being computed.

        A job whose request has left is as one that was never served.
        """
        tags, mine, theirs = self._tags, one.client, other.client
        if mine == theirs and mine in self._clients:
            tags = self._clients[mine].tags
            return tags.get(one.request) <= tags.get(other.request)
        return tags.get(mine) <= tags.get(theirs)
