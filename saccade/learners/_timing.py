"""How long a run takes on this machine: from a few timed updates and a part of a validation."""

import copy
import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from saccade.data.codecs import TARGET
from saccade.kernels.allocator import kept_memory
from saccade.learners._bench import Bench
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.predict.decode import quick
from saccade.predict.evaluation import evaluate, loss_of, outputs_for
from saccade.predict.predictor import Predictor
from saccade.train.checkpoint import Checkpoints
from saccade.train.limits import RunLimits
from saccade.train.loop import Loop
from saccade.train.progress import Progress

_BATCHES = 4  # of the validation set, whose loss is timed
_EXAMPLES = 64  # of it that are decoded
_TOLD_AFTER = 20  # updates, or
_TOLD_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Timing:
    """What an update, and a validation with its checkpoint, cost on this machine."""

    seconds_per_update: float
    seconds_per_validation: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long the rest of a run takes; less if patience ends it (`at_most`)."""

    updates: int
    validations: int
    timing: Timing
    seconds: float
    at_most: bool = False

    def __str__(self) -> str:
        """Say how long and why.

        >>> print(Estimate(1600, 8, Timing(0.41, 4.0), 688.0))
        about 11 min on this machine: 1,600 updates of 0.41 s, 8 validations of 4 s
        """
        return f"about {roughly(self.seconds)} on this machine{self.reasons}"

    @property
    def reasons(self) -> str:
        """What the time is made of."""
        less = ", less if patience ends it" if self.at_most else ""
        update, validation = self.timing.seconds_per_update, self.timing.seconds_per_validation
        return (
            f"{less}: {self.updates:,} updates of {update:.2g} s, {self.validations:,} validations"
            f" of {validation:.2g} s"
        )


def roughly(seconds: float) -> str:
    """Write a time in two digits or so.

    >>> roughly(41.6), roughly(688), roughly(9000)
    ('42 s', '11 min', '2 h 30 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def time_updates(bench: Bench, updates: int = 40, *, most_seconds: float = 10.0) -> Timing:
    """Time some updates, a part of a validation and a checkpoint, and leave no trace.

    The updates are made to a copy of the model by a loop of their own, and the chance that they use
    is given back: a training that follows is the same, bit for bit. The second half of the updates
    counts: early ones compile kernels, and prepare products of shapes that come again later. On
    300 words the mean of twelve was 60 % above that of the run.

    Args:
        bench: what a training would work at.
        updates: how many to make.
        most_seconds: stop after four updates or more if they have taken as long.
    """
    settings = bench.recipe.training
    with torch.random.fork_rng(devices=[]), kept_memory():
        model = copy.deepcopy(bench.model)
        loop = Loop(model, bench.new_objective(), bench.batches, settings, bench.recipe.seed)
        ends = [time.monotonic()]
        while len(ends) <= updates and (len(ends) < 5 or ends[-1] - ends[0] < most_seconds):
            loop.update()
            ends.append(time.monotonic())
        half = len(ends) // 2
        each = (ends[-1] - ends[half]) / (len(ends) - 1 - half)
        return Timing(each, time_validation(bench) + _time_checkpoint(loop))


def time_validation(bench: Bench) -> float:
    """Estimate the seconds of one validation from a part of it.

    A model that has not learned to end its outputs writes longer ones than it will: its time is
    counted as for outputs as long as the references.
    """
    training = bench.model.training
    with torch.random.fork_rng(devices=[]):
        seconds = _time_loss(bench) + _time_outputs(bench)
    bench.model.train(training)
    return seconds


def time_evaluation(bench: Bench, examples: Sequence[Example]) -> float:
    """Estimate the seconds of an evaluation as the recipe decodes, from a part of the examples.

    A model that has learned nothing would write as much as it may: here, as the references have.
    """
    if not examples:
        return 0.0
    training, some = bench.model.training, _some(examples)
    lengths = bench.prepared.valid.lengths
    read = [lengths[name] for name in bench.codecs.sources]
    ratio = int(lengths[TARGET].sum()) / max(sum(int(n.sum()) for n in read), 1)
    usual = bench.recipe.decoding
    capped = dataclasses.replace(usual, max_ratio=ratio, max_extra=1) if read else usual
    searcher = fastest_searcher(bench.model)
    predictor = Predictor(bench.model, bench.codecs, capped, bench.profile, bench.words, searcher)
    bench.model.eval()
    with torch.random.fork_rng(devices=[]):
        evaluate(predictor, some[:2])  # packs weights, compiles kernels
        started = time.monotonic()
        evaluate(predictor, some)
        seconds = time.monotonic() - started
    bench.model.train(training)
    return seconds * len(examples) / len(some)


def _some(examples: Sequence[Example]) -> Sequence[Example]:
    return examples[:: -(-len(examples) // _EXAMPLES)]


def _time_checkpoint(loop: Loop) -> float:
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        Checkpoints(Path(folder)).save(loop.snapshot())
        return time.monotonic() - started


def _time_loss(bench: Bench) -> float:
    batches = list(islice(bench.valid, _BATCHES))
    started = time.monotonic()
    loss_of(bench.objective, bench.model, batches)
    seconds = time.monotonic() - started
    lengths = bench.prepared.valid.lengths[TARGET]
    done = sum(int(batch.target.mask.sum()) for batch in batches)
    return seconds * max(int(lengths.sum()) + len(lengths), done) / max(done, 1)


def _time_outputs(bench: Bench) -> float:
    if not bench.examples:
        return 0.0
    some = _some(bench.examples)
    bench.model.eval()
    outputs_for(
        bench.predictor, some[:2], quick(bench.model.quick)
    )  # packs weights, compiles kernels
    started = time.monotonic()
    found = outputs_for(bench.predictor, some, quick(bench.model.quick))
    seconds = time.monotonic() - started
    target = bench.codecs.target
    ratio = 1.0
    if target.vocabulary is not None:
        wanted = sum(len(ids) + 1 for ids in target.encode([one.target for one in some]))
        ratio = wanted / sum(len(one.hypothesis.tokens) + 1 for one in found)
    started = time.monotonic()
    outputs = [one.output for one in found]
    references = [list(example.references) for example in some]
    for part in bench.recipe.training.metrics:
        part.build().corpus(outputs, references)
    measuring = time.monotonic() - started
    return (seconds * min(max(ratio, 0.2), 5.0) + measuring) * len(bench.examples) / len(some)


def estimate(
    limits: RunLimits, timing: Timing, progress: Progress | None = None
) -> Estimate | None:
    """Say how long a run takes from where it stands; None if patience alone ends it."""
    progress = progress or Progress()
    settings, every, step = limits.settings, limits.every, progress.step
    spare = settings.max_minutes * 60 - progress.elapsed if settings.max_minutes else None
    if limits.steps is None and spare is None:
        return None
    each = timing.seconds_per_update + timing.seconds_per_validation / every
    updates = max(0, int((spare or 0.0) / each) if limits.steps is None else limits.steps - step)
    validations = _validations(updates, step, every)
    seconds = updates * timing.seconds_per_update + validations * timing.seconds_per_validation
    if spare is not None and (seconds > spare or limits.steps is None):
        seconds = max(spare, 0.0)
        updates = min(updates, int(seconds / each))
        validations = _validations(updates, step, every)
    return Estimate(updates, validations, timing, seconds, at_most=settings.patience > 0)


def _validations(updates: int, step: int, every: float) -> int:
    """Count the validations of so many updates, the one at the end too."""
    last = (step + updates) / every + 1e-9
    return int(last) - int(step / every + 1e-9) + (updates > 0 and last % 1 > 1e-6)


class Pace:
    """How fast a run goes, measured while it goes; what came before a resume does not count."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._begun = (0, 0.0)  # step and seconds at the start
        self._first: tuple[int, float] | None = None  # and after the first update
        self._validations: list[float] = []
        self._guess: float | None = None
        self._told = False

    def begin(self, progress: Progress) -> None:
        """Note where the run starts or goes on."""
        self._begun = progress.step, progress.seconds

    def updated(self, progress: Progress) -> None:
        """Note an update."""
        self._first = self._first or (progress.step, progress.seconds)

    def validated(self, seconds: float) -> None:
        """Note a validation, which took so long."""
        self._validations.append(seconds)

    def saved(self, seconds: float) -> None:
        """Note the checkpoint of the last validation, which took so long."""
        self._validations[-1] += seconds

    def timing(self, progress: Progress) -> Timing:
        """Return the means so far; the first update, which may compile, counts if it is alone."""
        step, seconds = self._first or self._begun
        if step == progress.step:
            step, seconds = self._begun
        update = (progress.seconds - seconds) / max(progress.step - step, 1)
        found = self._validations
        return Timing(update, sum(found) / len(found) if found else self._guess or 0.0)

    def left(self, progress: Progress) -> float | None:
        """Return how many seconds are left; None if nobody can know."""
        found = estimate(self._limits, self.timing(progress), progress)
        return found.seconds if found else None

    def tell(self, progress: Progress, bench: Bench) -> str:
        """Say once how long the rest takes: after 20 updates, or after 3 that took long."""
        made, took = progress.step - self._begun[0], progress.seconds - self._begun[1]
        if self._told or (made < _TOLD_AFTER and (made < 3 or took < _TOLD_SECONDS)):
            return ""
        self._told = True
        if not self._validations:
            self._guess = time_validation(bench)
        timing = self.timing(progress)
        found = estimate(self._limits, timing, progress)
        if found is None:
            return open_end(self._limits, timing)
        return f"About {roughly(found.seconds)} left on this machine{found.reasons}."


def open_end(limits: RunLimits, timing: Timing) -> str:
    """Say what is known of a run that patience alone ends."""
    every = max(round(limits.every), 1)
    seconds = every * timing.seconds_per_update + timing.seconds_per_validation
    return (
        f"Patience alone ends this run: {every:,} updates and a validation take about"
        f" {roughly(seconds)} on this machine."
    )
