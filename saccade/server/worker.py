"""One model at work: texts of many requests, gathered into batches, computed in one thread.

A text waits a few milliseconds for company. Then the one that is next and those with equal decode
options are computed together, as many as take a fraction of a second. A text that takes longer is
computed alone, and short ones are computed between its steps. The output for a text does not depend
on its company.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from torch import Tensor

from saccade.engines.base import Opened
from saccade.predict.decode import Decode
from saccade.predict.prediction import Prediction, Scored
from saccade.predict.predictor import Predictor
from saccade.server.costs import Costs
from saccade.server.fairness import FairQueue
from saccade.server.jobs import Job
from saccade.server.limits import Limits, n_characters
from saccade.server.memory import HeldCounts
from saccade.server.refusal import Refused
from saccade.server.turn import Turn

_PATIENCE = 6  # times the wait for one more text, the longest wait for all


class Tally(Protocol):
    """Whoever counts what engines do."""

    def batch(self, texts: int, pieces: int, seconds: float) -> None:
        """Count one batch."""


class _AbandonedError(Exception):
    """Nobody waits for this batch any more."""


class Worker:
    """Computes jobs in a thread of its own, at most one batch at a time.

    `turn` is shared by all engines of a server: whoever holds it computes. `fast`, if there is
    one, is the same model run by another engine, for batches that need nothing but translations.
    `shared` is what all processes of the server hold together.
    """

    def __init__(
        self,
        name: str,
        translator: Predictor,
        limits: Limits,
        turn: Turn,
        fast: Opened | None = None,
        shared: HeldCounts | None = None,
    ) -> None:
        self.name, self.translator, self.limits, self.fast = name, translator, limits, fast
        self.tally: Tally | None = None
        self.held = 0  # texts accepted and not yet answered, by this process
        self.costs = Costs(translator, limits)
        self._shared = shared or HeldCounts.alone()
        self._turn = turn
        self._waiting = FairQueue()
        self._changed = threading.Condition()
        self._closing = False
        self._aside = 0.0  # seconds spent on others between the steps of a long text
        self._stepped = 0.0  # when its last step began
        self._thread = threading.Thread(target=self._run, name=f"model {name}", daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether new texts are taken."""
        return not self._closing and self._thread.is_alive()

    @property
    def held_by_all(self) -> int:
        """How many texts all processes have accepted and not yet answered."""
        return self._shared.counts.total(self._names("")[0])

    @contextmanager
    def admit(self, jobs: Sequence[Job], client: str = "") -> Iterator[None]:
        """Take jobs, all or none, for the time of a `with`; what is left of them then is dropped.

        The `with` covers all that is done for a request, so that `held` bounds the memory in use.
        """
        request = object()
        for job in jobs:
            job.client, job.request = client, request
        with self._changed:
            if self._closing:
                raise Refused(
                    503,
                    f"{self.name}: the server is shutting down; expected to be asked earlier; ask"
                    " another server, or this one in a while.",
                    retry=5,
                )
            self._hold(len(jobs), client)
            self._waiting.enter(client, request, jobs)
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self.held -= len(jobs)
                self._shared.add(-len(jobs), *self._names(client))
                for job in jobs:
                    job.abandoned = True
                self._waiting.leave(client, request)

    def close(self) -> None:
        """Take nothing new, finish what was taken, end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _hold(self, n: int, client: str) -> None:
        """Count texts of a client that are taken, or refuse them."""
        counts, (everyone, own) = self._shared.counts, self._names(client)
        with self._shared.memory.locked():
            theirs, all_of_them = counts.total(own), counts.total(everyone)
            full = theirs + n > self.limits.queue
            if not full and all_of_them + n <= self.limits.queue_of_all:
                self.held += n
                counts.add(self._shared.slot, own, n)
                counts.add(self._shared.slot, everyone, n)
                return
        held = theirs if full else all_of_them
        wait = min(int(held * self.costs.seconds_a_text) + 1, 30)
        found = f"{held} of your texts are waiting" if full else f"{held} texts are waiting"
        most = self.limits.queue if full else self.limits.queue_of_all
        raise Refused(
            429,
            f"{self.name}: {found}; expected at most {most} with these; try again in {wait}"
            " seconds.",
            retry=wait,
        )

    def _names(self, client: str) -> tuple[str, str]:
        return f"texts {self.name}", f"texts {self.name}\0{client}"

    def _run(self) -> None:
        while self._await_work():
            with self._turn:
                batch = self._take()
                if batch:
                    self._compute(batch)

    def _await_work(self) -> bool:
        """Wait for a first text, and on while others follow closely; False when all is over."""
        wait = self.limits.wait / 1000
        with self._changed:
            while not len(self._waiting) and not self._closing:
                self._changed.wait()
            until = time.monotonic() + _PATIENCE * wait
            while len(self._waiting) and not self._closing:
                n, left = len(self._waiting), until - time.monotonic()
                enough = sum(map(_rough_size, self._waiting)) >= self.limits.batch
                if left <= 0 or enough:
                    break
                self._changed.wait(min(wait, left))
                if len(self._waiting) == n:
                    break
            return bool(len(self._waiting)) or not self._closing

    def _take(self, during: Job | None = None) -> list[Job]:
        """Take the job that is next and those with equal options, until the batch is full.

        A long one is taken alone. `during` is the long one that is being computed: then only short
        ones are taken, and the first only if it may overtake.
        """
        taken: list[Job] = []
        longest = 0

        def fits(job: Job) -> bool:
            short = not ((taken or during) and job.pieces and self.costs.is_long(job))
            return short and (not taken or job.decode == taken[0].decode)

        while job := self._next(fits):
            measured = bool(job.pieces)
            self.costs.measure(job)
            if not measured and not fits(job):
                continue
            longest = max(longest, job.pieces)
            if taken and self.costs.is_full(job, longest, len(taken) + 1):
                break
            with self._changed:
                if during and not taken and not self._waiting.before(job, during):
                    break
                if not self._waiting.take(job):
                    continue
                if not self._has_steps(job):
                    self._waiting.charge(job, self.costs.of(job))
            if not job.wanted:
                job.fail(self.limits.too_late())
                continue
            taken.append(job)
            if self.costs.is_long(job):
                break
        return taken

    def _next(self, fits: "_Fits") -> Job | None:
        with self._changed:
            return self._waiting.next(fits)

    def _has_steps(self, job: Job) -> bool:
        """Tell whether a job is long and pays for each step as it is taken."""
        steps = job.decode is not None and self.translator.target.vocabulary is not None
        return steps and self.costs.is_long(job)

    def _compute(self, batch: list[Job]) -> None:
        """Compute a batch; if that fails, every job alone, so that one cannot spoil the others."""
        started, aside = time.monotonic(), self._aside
        try:
            results = self._results(batch)
        except _AbandonedError:
            for job in batch:
                job.fail(self.limits.too_late())
            return
        except Exception as error:
            if len(batch) == 1:
                batch[0].fail(error)
            else:
                for job in batch:
                    self._compute([job])
            return
        seconds = time.monotonic() - started - (self._aside - aside)
        self.costs.learn(batch, seconds)
        if self.tally:
            self.tally.batch(len(batch), sum(_pieces(one) for one in results), seconds)
        for job, one in zip(batch, results, strict=True):
            job.give(one)

    def _results(self, batch: list[Job]) -> Sequence[Prediction | Scored]:
        texts, begins = [job.text for job in batch], [job.begin for job in batch]
        decode = batch[0].decode
        long = batch[0] if self.costs.is_long(batch[0]) else None
        self._stepped = time.monotonic()
        if decode is None:
            return self.translator.score(texts, begins)
        if self.fast and not long and _plain(batch, decode):
            return list(self.fast.stream(texts, decode, chunk=len(texts)))

        def watch(numbers: Sequence[int], tokens: Tensor) -> None:
            if not any(job.wanted for job in batch):
                raise _AbandonedError
            for number, line in zip(numbers, tokens, strict=True):
                tell = batch[number].watch
                if tell:
                    target = self.translator.target
                    tell(target.write(target.decode(line.tolist())))
            if long:
                self._interrupt(long)

        watched = watch if long or any(job.watch for job in batch) else None
        forced = replace(decode, prefix=begins)
        return list(self.translator.stream(texts, forced, watch=watched, chunk=len(texts)))

    def _interrupt(self, long: Job) -> None:
        """Between two steps of a long text, compute short ones that may overtake it.

        It pays for the seconds of its steps, as if they had been spent on batches.
        """
        started = time.monotonic()
        with self._changed:
            self._waiting.charge(long, self.costs.of_step(long, started - self._stepped))
        self._turn.pass_on()
        while batch := self._take(during=long):
            self._compute(batch)
            self._turn.pass_on()
        self._stepped = time.monotonic()
        self._aside += self._stepped - started


class _Fits(Protocol):
    def __call__(self, job: Job, /) -> bool: ...


def _rough_size(job: Job) -> int:
    return job.pieces or n_characters(job.text)


def _plain(batch: list[Job], decode: Decode) -> bool:
    """Tell whether nobody wants to see how a batch is written, or to write a part of it."""
    return not (decode.search or decode.trace or any(job.begin or job.watch for job in batch))


def _pieces(result: Prediction | Scored) -> int:
    if isinstance(result, Scored):
        return len(result.token_scores)
    return len(result.hypothesis.tokens) + result.finished
