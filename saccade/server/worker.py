"""One model at work: texts of many requests, gathered into batches, computed in one thread.

A text waits a few milliseconds for company. Then the oldest and all with equal decode options are
computed together, as many as fit. The output for a text does not depend on its company.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from torch import Tensor

from saccade.engines.base import Opened
from saccade.errors import DataError
from saccade.predict.decode import Decode
from saccade.predict.prediction import Prediction, Scored
from saccade.predict.predictor import Predictor
from saccade.server.jobs import Job
from saccade.server.limits import Limits, n_characters
from saccade.server.refusal import Refused

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
    """

    def __init__(
        self,
        name: str,
        translator: Predictor,
        limits: Limits,
        turn: threading.Semaphore,
        fast: Opened | None = None,
    ) -> None:
        self.name, self.translator, self.limits, self.fast = name, translator, limits, fast
        self.tally: Tally | None = None
        self.held = 0  # texts accepted and not yet answered
        self._turn = turn
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._pace = 0.02  # seconds a text has lately taken
        self._thread = threading.Thread(target=self._run, name=f"model {name}", daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether new texts are taken."""
        return not self._closing and self._thread.is_alive()

    @contextmanager
    def admit(self, jobs: Sequence[Job]) -> Iterator[None]:
        """Take jobs, all or none, for the time of a `with`; what is left of them then is dropped.

        The `with` covers all that is done for a request, so that `held` bounds the memory in use.
        """
        with self._changed:
            if self._closing:
                raise Refused(
                    503,
                    f"{self.name}: the server is shutting down; expected to be asked earlier; ask"
                    " another server, or this one in a while.",
                    retry=5,
                )
            if self.held + len(jobs) > self.limits.queue:
                wait = min(int(self.held * self._pace) + 1, 30)
                raise Refused(
                    429,
                    f"{self.name}: {self.held} texts are waiting; expected at most"
                    f" {self.limits.queue} with yours; try again in {wait} seconds.",
                    retry=wait,
                )
            self.held += len(jobs)
            self._waiting.extend(jobs)
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self.held -= len(jobs)
                for job in jobs:
                    job.abandoned = True
                if any(not job.done.done() for job in jobs):
                    self._waiting = deque(job for job in self._waiting if not job.abandoned)

    def close(self) -> None:
        """Take nothing new, finish what was taken, end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

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
            while not self._waiting and not self._closing:
                self._changed.wait()
            until = time.monotonic() + _PATIENCE * wait
            while self._waiting and not self._closing:
                n, left = len(self._waiting), until - time.monotonic()
                enough = sum(map(_rough_size, self._waiting)) >= self.limits.batch
                if left <= 0 or enough:
                    break
                self._changed.wait(min(wait, left))
                if len(self._waiting) == n:
                    break
            return bool(self._waiting) or not self._closing

    def _take(self) -> list[Job]:
        """Take the oldest job and those with equal options, until the batch is full."""
        with self._changed:
            waiting = list(self._waiting)
        first = waiting[0].decode if waiting else None  # all may have been dropped
        alike = [job for job in waiting if job.decode == first]
        taken: list[Job] = []
        longest = 0
        for job in alike:
            longest = max(longest, self._n_pieces(job))
            if taken and longest * (len(taken) + 1) > self.limits.batch:
                break
            taken.append(job)
        with self._changed:
            chosen = set(map(id, taken))
            self._waiting = deque(job for job in self._waiting if id(job) not in chosen)
        wanted = {id(job) for job in taken if job.wanted}
        for job in taken:
            if id(job) not in wanted:
                job.fail(self.limits.too_late())
        return [job for job in taken if id(job) in wanted]

    def _n_pieces(self, job: Job) -> int:
        if not job.pieces:
            try:
                job.pieces = max(self.translator.size(job.text), len(job.begin)) + 1
            except DataError:  # the batch will say so
                job.pieces = n_characters(job.text) + 1
        return job.pieces

    def _compute(self, batch: list[Job]) -> None:
        """Compute a batch; if that fails, every job alone, so that one cannot spoil the others."""
        started = time.monotonic()
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
        seconds = time.monotonic() - started
        self._pace += 0.2 * (seconds / len(batch) - self._pace)
        if self.tally:
            self.tally.batch(len(batch), sum(_pieces(one) for one in results), seconds)
        for job, one in zip(batch, results, strict=True):
            job.give(one)

    def _results(self, batch: list[Job]) -> Sequence[Prediction | Scored]:
        texts, begins = [job.text for job in batch], [job.begin for job in batch]
        decode = batch[0].decode
        if decode is None:
            return self.translator.score(texts, begins)
        if self.fast and _plain(batch, decode):
            return list(self.fast.stream(texts, decode, chunk=len(texts)))

        def watch(numbers: Sequence[int], tokens: Tensor) -> None:
            if not any(job.wanted for job in batch):
                raise _AbandonedError
            for number, line in zip(numbers, tokens, strict=True):
                tell = batch[number].watch
                if tell:
                    target = self.translator.target
                    tell(target.write(target.decode(line.tolist())))

        forced = replace(decode, prefix=begins)
        return list(self.translator.stream(texts, forced, watch=watch, chunk=len(texts)))


def _rough_size(job: Job) -> int:
    return job.pieces or n_characters(job.text)


def _plain(batch: list[Job], decode: Decode) -> bool:
    """Tell whether nobody wants to see how a batch is written, or to write a part of it."""
    return not (decode.search or decode.trace or any(job.begin or job.watch for job in batch))


def _pieces(result: Prediction | Scored) -> int:
    if isinstance(result, Scored):
        return len(result.token_scores)
    return len(result.hypothesis.tokens) + result.finished
