"""What a text costs, before it is computed: its pieces times the lines that are written at once.

How many seconds a unit takes is learned from the batches that were computed.
"""

from collections.abc import Iterable, Sequence

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.predict.decode import Decode
from saccade.predict.predictor import Predictor
from saccade.search.base import Search
from saccade.server.jobs import Job
from saccade.server.limits import Limits, n_characters
from saccade.server.refusal import Refused

_PACE = 1e-3  # seconds of a unit of cost, as long as nothing is known: rather too many
_NEW = 0.3  # share of the last batch in what is known
_BYTES = 4  # pieces of a character, at most: its bytes


class Costs:
    """What the texts of one model cost, and what of it fits into one batch."""

    def __init__(self, translator: Predictor, limits: Limits) -> None:
        self._translator, self._limits = translator, limits
        self._widths: dict[Decode, int] = {}
        self._pace = _PACE
        self.seconds_a_text = 0.02  # lately

    def width(self, decode: Decode | None) -> int:
        """Return how many lines are written side by side for a text; 1 if nothing is searched."""
        if decode is None or self._translator.target.vocabulary is None:
            return 1
        if decode not in self._widths:
            if len(self._widths) > 1000:
                self._widths.clear()
            self._widths[decode] = self._lines(decode)
        return self._widths[decode]

    def _lines(self, decode: Decode) -> int:
        chosen = decode.resolve(self._translator.decoding.search)
        try:
            return max(Part(Search, chosen.kind, chosen.options).build().lines, 1)
        except RecipeError:  # the batch will say so
            return 1

    def of(self, job: Job) -> float:
        """Return the cost of a job whose pieces have been counted."""
        return job.pieces * self.width(job.decode)

    def of_step(self, job: Job, seconds: float) -> float:
        """Return the cost of one step of a long job, which took so many seconds."""
        return max(seconds / self._pace, self.width(job.decode))

    def is_long(self, job: Job) -> bool:
        """Tell whether a job takes longer than a batch may."""
        return self.of(job) * self._pace > self._limits.slice

    def is_full(self, job: Job, longest: int, n: int) -> bool:
        """Tell whether `n` texts like a job, padded to the longest, are too much for a batch."""
        places = longest * n
        seconds = places * self.width(job.decode) * self._pace
        return places > self._limits.batch or seconds > self._limits.slice

    def learn(self, batch: Sequence[Job], seconds: float) -> None:
        """Learn from a batch how long a unit takes."""
        cost = max(job.pieces for job in batch) * len(batch) * self.width(batch[0].decode)
        self._pace += _NEW * (seconds / max(cost, 1) - self._pace)
        self.seconds_a_text += _NEW * (seconds / len(batch) - self.seconds_a_text)

    def measure(self, job: Job) -> None:
        """Count the pieces of a job, once; of a long text this takes a while."""
        if not job.pieces:
            try:
                job.pieces = max(self._translator.size(job.text), len(job.begin)) + 1
            except DataError:  # the batch will say so
                job.pieces = n_characters(job.text) + 1

    def may_be_much(self, jobs: Iterable[Job]) -> bool:
        """Tell whether a request may be more than `check` lets through, at a glance."""
        sizes = (
            (job.pieces or _BYTES * (n_characters(job.text) + len(job.begin) + 1), job.decode)
            for job in jobs
        )
        return sum(size * self.width(decode) for size, decode in sizes) > self._limits.work

    def check(self, jobs: Sequence[Job]) -> None:
        """Refuse a request whose texts are too much work, whatever else the server has to do."""
        for job in jobs:
            self.measure(job)
        pieces, work = sum(job.pieces for job in jobs), sum(map(self.of, jobs))
        if work > self._limits.work:
            raise Refused(
                413,
                f"request: {pieces:,} pieces in {len(jobs)} texts or sentences, times the beam, are"
                f" {work:,.0f} units of work; expected at most {self._limits.work:,}; send fewer or"
                " shorter texts in a request, or a narrower beam.",
            )
