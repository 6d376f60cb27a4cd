"""Learning by counting: passes over the whole corpus, for models that have no gradient."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from saccade.data.batching import Batches
from saccade.data.codecs import TARGET
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.learners._bench import Bench
from saccade.learners.base import Learner
from saccade.models.base import LaidPairs, counted_model
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.checkpoint import Snapshot
from saccade.train.holding import Room
from saccade.train.limits import RunLimits
from saccade.train.log import Log
from saccade.train.processes import ALONE, Processes
from saccade.train.progress import Progress


class Counting(Learner):
    """Fits a `CountedModel`: one pass of counting, or several of EM, a checkpoint behind each.

    A pass is a step. What a model has learned is all in its parameters, so a run that is resumed
    makes the passes that are left and ends as one that was not stopped, bit for bit. Of
    `training`, `max_steps`, `max_minutes`, `patience`, `select` and `metrics` count.
    """

    starts_from: ClassVar[bool] = False

    def __init__(
        self,
        recipe: Recipe,
        bench: Bench,
        folder: Path,
        log: Log,
        processes: Processes = ALONE,
    ) -> None:
        super().__init__(recipe, bench, folder, log, processes)
        self.counted = counted_model(bench.model)
        if any(weight != 1 for weight in recipe.data.weights):
            raise RecipeError(
                f"data.weights: {recipe.data.weights} cannot be, since {recipe.model.kind} counts"
                " every corpus once; expected no weights. Leave them out."
            )
        self.limits = RunLimits(self.settings, 0, 1)
        self._progress = Progress()

    @property
    def progress(self) -> Progress:
        """Where the run stands."""
        return self._progress

    def snapshot(self) -> Snapshot:
        """Return all that a checkpoint holds."""
        return Snapshot(weights.of(self.model), {}, self._progress)

    def restore(self, snapshot: Snapshot, where: str) -> None:
        """Go back to where a checkpoint was written."""
        folders.put_weights(self.model, snapshot.model, where)
        self._progress = snapshot.progress

    @property
    def room(self) -> Room | None:
        """Say that a checkpoint is read whole."""
        return None

    def show(self) -> None:
        """Do nothing: there are no parts."""

    def due(self) -> bool:
        """Say that every pass is validated, once the model says that it writes something."""
        return self._progress.step >= self.counted.judged

    def describe(self) -> str:
        """Say what is about to be fitted to what."""
        return (
            f"{self.recipe.name}: {self.bench.codecs.describe()}; counting"
            f" {self.bench.batches.describe()}."
        )

    def go(self) -> str:
        """Make the passes that are left."""
        progress, corpus = self._progress, corpus_of(self.bench)
        if self.counted.tunes:
            corpus = corpus._replace(held_out=held_out_of(self.bench))
        n_symbols = int(corpus.target.lengths.sum())
        while not (reason := self._stop()):
            started = time.monotonic()
            figures, told = self.counted.count(corpus, progress.step)
            progress.seconds += time.monotonic() - started
            progress.step, progress.epoch = progress.step + 1, progress.epoch + 1
            progress.tokens += n_symbols
            counted = {"epoch": progress.epoch, "tokens": progress.tokens, **figures}
            self.log.record("train", progress.step, {**counted, "seconds": progress.seconds})
            if told:
                self.log.say(told)
            if self.due():
                progress.validations.append(self.validate())
            progress.elapsed += time.monotonic() - started
            self.save()
        return reason

    def measure(self) -> dict[str, float]:
        """Return the figures of the model as it stands."""
        return self.bench.measure()

    @classmethod
    def rehearse(cls, recipe: Recipe, bench: Bench) -> Mapping[str, str]:
        """Say how many passes there would be."""
        n = counted_model(bench.model).iterations
        return {"passes over the data": str(min(n, recipe.training.max_steps or n))}

    def _stop(self) -> str:
        if self.signals.caught:
            return "a signal asked to stop"
        n = self.counted.iterations
        if self._progress.step >= n:
            return f"counted in {n} pass{'es' if n > 1 else ''}"
        return self.limits.reason(self._progress)


def corpus_of(bench: Bench) -> LaidPairs:
    """Lay out all training pairs that are not too long."""
    if not isinstance(bench.batches, Batches):
        raise RecipeError(
            f"data.train: {bench.recipe.model.kind} counts all pairs, but they are streamed;"
            " expected pairs that are stored. Use the corpus of reader streamed itself."
        )
    return _laid(bench, bench.batches)


def held_out_of(bench: Bench) -> LaidPairs:
    """Lay out all validation pairs that are not too long."""
    return _laid(bench, bench.valid)


def _laid(bench: Bench, batches: Batches) -> LaidPairs:
    laid = {name: batches.laid(name) for name in bench.codecs.sides}
    sources = {name: laid[name] for name in bench.codecs.sources}
    return LaidPairs(sources, laid[TARGET], root=bench.root)
