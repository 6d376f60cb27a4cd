"""Where requests are worked on: it finds the model, asks its engine, and waits no longer than told.

Pictures and maps are made in a few threads beside those of the engines.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from saccade.errors import suggest
from saccade.predict.decode import GREEDY, Decode
from saccade.predict.inputs import read_input
from saccade.predict.passage import Passage
from saccade.predict.prediction import Prediction, Scored
from saccade.server.clients import CLIENT
from saccade.server.counters import Counters
from saccade.server.jobs import Job
from saccade.server.limits import Limits
from saccade.server.memory import HeldCounts
from saccade.server.models import Served
from saccade.server.predict import needs_tree
from saccade.server.refusal import Refused
from saccade.server.schema import Predict
from saccade.server.turn import Turn
from saccade.server.worker import Worker

Made = TypeVar("Made")
_PLACES = 64  # that a picture counts for when texts are computed together


class Desk:
    """All models of a server with their engines."""

    def __init__(
        self,
        models: Sequence[Served],
        limits: Limits,
        counters: Counters,
        shared: HeldCounts | None = None,
    ) -> None:
        self.models = {model.name: model for model in models}
        self.limits, self.counters = limits, counters
        self.turn = Turn()  # whoever holds it computes
        self.shared = shared or HeldCounts.alone()
        self.engines = {
            model.name: Worker(
                model.name, model.translator, limits, self.turn, model.fast, self.shared
            )
            for model in models
        }
        for name, engine in self.engines.items():
            engine.tally = counters.of_model(name)
        self._drawers = ThreadPoolExecutor(2, thread_name_prefix="drawing")

    @property
    def open(self) -> bool:
        """Whether every model takes texts."""
        return all(engine.open for engine in self.engines.values())

    def held(self) -> dict[str, int]:
        """Return how many texts of each model wait for an answer, in all processes."""
        return {name: engine.held_by_all for name, engine in self.engines.items()}

    def close(self) -> None:
        """Finish what was accepted and end all threads."""
        for engine in self.engines.values():
            engine.close()
        self._drawers.shutdown()

    def model(self, name: str | None) -> Served:
        """Find a model by name; the first if none is named."""
        if name is None:
            return next(iter(self.models.values()))
        if name not in self.models:
            raise Refused(
                404,
                f"model: '{name[:100]}' is not served.{suggest(name[:100], self.models)} Expected"
                f" one of: {', '.join(self.models)}; name one of them.",
            )
        return self.models[name]

    @asynccontextmanager
    async def admitted(self, model: Served, jobs: Sequence[Job]) -> AsyncIterator[None]:
        """Give jobs to the model's engine for the time of a `with`, which ends in time or fails."""
        deadline = time.monotonic() + self.limits.seconds
        for job in jobs:
            job.deadline = deadline
        engine = self.engines[model.name]
        try:
            async with asyncio.timeout(self.limits.seconds):
                if engine.costs.may_be_much(jobs):
                    await self.drawn(partial(engine.costs.check, jobs))
                with engine.admit(jobs, CLIENT.get()):
                    yield
        except TimeoutError:
            raise self.limits.too_late() from None

    async def drawn(self, draw: Callable[[], Made]) -> Made:
        """Do something long in a thread made for that."""
        return await asyncio.get_running_loop().run_in_executor(self._drawers, draw)

    async def read(self, model: Served, jobs: Sequence[Job], where: str) -> None:
        """Decode the pictures and sounds of jobs, beside everything else; others are refused.

        So it is with strokes of a pen, whose points are counted.
        """
        if not model.reads_pictures and not model.reads_strokes:
            return
        several = len(jobs) > 1

        def decode(number: int, job: Job) -> None:
            place = f"{where}[{number}]" if several else where
            given = read_input(job.text, model.translator.sources, place)
            job.text, job.pieces = given, _PLACES
            if all(codec.view == "spectrogram" for codec in model.translator.sources.values()):
                job.pieces = model.translator.size(given)
            if model.reads_strokes:
                job.pieces = model.translator.size(given)
                self.limits.check_points(place, job.pieces)

        try:
            async with asyncio.timeout(self.limits.seconds):
                await asyncio.gather(
                    *(self.drawn(partial(decode, n, job)) for n, job in enumerate(jobs))
                )
        except TimeoutError:
            raise self.limits.too_late() from None


def jobs_of(asked: Predict, passages: Sequence[Passage]) -> list[Job]:
    """Make a job for each part and, if its tree is wanted, a greedy one after all of them.

    The first part of a text begins with the prefix.
    """
    trace = needs_tree(asked)
    sample = None if asked.bias is None else {"bias": asked.bias, "seed": asked.seed}
    decode = Decode(asked.beam, asked.nbest, asked.length_penalty, sample=sample, trace=trace)
    given = [
        (part, "" if n else asked.prefix)
        for passage in passages
        for n, part in enumerate(passage.parts)
    ]
    jobs = [Job(part, decode, prefix) for part, prefix in given]
    return [*jobs, *(Job(part, GREEDY, prefix) for part, prefix in given if trace)]


async def translations(jobs: Sequence[Job]) -> list[Prediction]:
    """Wait for what jobs that translate give."""
    results = await asyncio.gather(*(asyncio.wrap_future(job.done) for job in jobs))
    return [one for one in results if isinstance(one, Prediction)]


async def scores(jobs: Sequence[Job]) -> list[Scored]:
    """Wait for what jobs that score give."""
    results = await asyncio.gather(*(asyncio.wrap_future(job.done) for job in jobs))
    return [one for one in results if isinstance(one, Scored)]
