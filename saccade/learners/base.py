"""What a learner is: who fits a model, and all that happens around it whoever does.

Of several processes the first alone validates and writes; the others wait and are told.

A model names its learner: `gradient` for networks, `counting` for models of counts, EM included.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from saccade.errors import CheckpointError, Interrupted, TrainingError
from saccade.folders import model as folders
from saccade.folders.identity import write_weights
from saccade.folders.rivals import RIVALS, write_rivals
from saccade.learners._bench import Bench
from saccade.learners._judgement import judge
from saccade.metrics.base import Metric
from saccade.parts import Part
from saccade.predict.verdict import Verdict
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints, Snapshot
from saccade.train.divergence import check_end, check_validation
from saccade.train.files import sweep_leftovers
from saccade.train.holding import Room
from saccade.train.log import Log
from saccade.train.processes import ALONE, Processes
from saccade.train.progress import Progress, Validation
from saccade.train.recovery import recover
from saccade.train.signals import Signals

WARNING = "warning"  # what to say behind a rehearsal


class Learner(ABC):
    """Fits one model in one folder, and can stop and go on between two steps.

    verdict: once it is fitted, whether it is better than a constant answer, if that is known.

    Args:
        recipe: what to do.
        bench: the data, where to start from, and how it is judged.
        folder: a folder that is ours.
        log: where to tell of it.
        processes: who does it.
    """

    starts_from: ClassVar[bool] = True  # False if it cannot begin with the weights of a folder
    shares: ClassVar[bool] = False  # True if several processes can do it together

    def __init__(
        self,
        recipe: Recipe,
        bench: Bench,
        folder: Path,
        log: Log,
        processes: Processes = ALONE,
    ) -> None:
        settings = recipe.training
        self.recipe, self.settings, self.folder, self.log = recipe, settings, folder, log
        self.bench, self.model, self.processes = bench, bench.model, processes
        self.checkpoints = Checkpoints(
            folder,
            keep_best=settings.keep_best,
            keep_last=max(settings.keep_last, settings.average),
        )
        self.signals = Signals()
        self.verdict: Verdict | None = None

    @property
    @abstractmethod
    def progress(self) -> Progress:
        """Where the run stands."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Return all that a checkpoint holds."""

    @abstractmethod
    def restore(self, snapshot: Snapshot, where: str) -> None:
        """Go back to where a checkpoint was written."""

    @property
    @abstractmethod
    def room(self) -> Room | None:
        """What makes room for this process's part of a checkpoint; None if that is all of it."""

    @abstractmethod
    def show(self) -> None:
        """Bring the weights to judge together in the model, if they lie in parts; all do so."""

    @abstractmethod
    def due(self) -> bool:
        """Say whether the recipe asks for a validation at this step."""

    @abstractmethod
    def describe(self) -> str:
        """Say what is about to be fitted to what."""

    @abstractmethod
    def go(self) -> str:
        """Take steps until something says stop; return what it said."""

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """Return the figures of the model as it stands on the validation set."""

    @classmethod
    @abstractmethod
    def rehearse(cls, recipe: Recipe, bench: Bench) -> Mapping[str, str]:
        """Say how many steps a run would take and how long, row by row; it leaves no trace.

        The row WARNING is a sentence of its own.
        """

    def save(self) -> None:
        """Write a checkpoint of where the run stands, for any number of processes."""
        self.processes.lead(self.log.sync)
        self.checkpoints.save(self.snapshot(), self.processes)

    def resume(self, step: int | None = None) -> None:
        """Go back to the last checkpoint, and forget what only the stop there brought about.

        Damaged checkpoints are left out, and told. `step` names another checkpoint. It may have
        been written by another number of processes.
        """
        found = self.processes.lead(lambda: self._recovered(step))
        name = found["checkpoint"]
        for said in found["told"]:
            self.log.say(said)
        self.restore(self.checkpoints.load(name, self.room), str(self.checkpoints.folder / name))
        if self.progress.last and not self.due():
            self.progress.validations.pop()
        where = {"checkpoint": name, "progress": self.progress.plain()}
        self.processes.agree(where, "checkpoints")
        self.processes.lead(lambda: sweep_leftovers(self.folder))
        self.save()
        self.processes.lead(self._tidy)
        self.log.say(f"Going on from step {self.progress.step}.")

    def _recovered(self, step: int | None) -> dict[str, Any]:
        """Find the checkpoint to go on from, and what there is to say of others."""
        if not self.checkpoints.found():
            raise CheckpointError(
                f"{self.folder}: holds no checkpoint to resume; it is a finished model. Begin a new"
                " run with --from this folder."
            )
        name, told = recover(self.checkpoints, step)
        return {"checkpoint": name, "told": list(told)}

    def _tidy(self) -> None:
        self.log.rewind(self.progress)
        for name in ("model.safetensors", RIVALS):
            (self.folder / name).unlink(missing_ok=True)

    def run(self) -> str:
        """Fit the model until told to stop, and put it in place; return why it stopped."""
        self.log.say(self.describe())
        before = self.progress.step
        with self.signals:
            with self.log.live():
                reason = self.go()
            return self._ended(reason, trained=self.progress.step > before)

    def _ended(self, reason: str, *, trained: bool) -> str:
        """Hand over the model, or only save where the run stands if a signal stopped it."""
        self.save()
        if self.signals.caught:
            raise Interrupted(
                self.signals.caught,
                f"stopped by a signal at step {self.progress.step}; the checkpoint is written. Go"
                " on with --resume.",
            )
        if not trained:
            self.log.say(f"Nothing was left to train: {reason}.")
        self._finish()
        self.log.say(f"Done: {reason}. The model is in {self.folder}.")
        if self.verdict and self.verdict.alarm:
            self.log.say(self.verdict.alarm)
        return reason

    def validate(self) -> Validation:
        """Measure the model on the validation set, and tell of it."""
        self.show()
        return Validation(**self.processes.lead(self._validate))

    def _validate(self) -> dict[str, Any]:
        progress, figures = self.progress, self.measure()
        select = self.settings.select
        unusable = [select] if not math.isfinite(figures[select]) else []
        for name in unusable or (["loss"] if math.isnan(figures["loss"]) else []):
            raise TrainingError(
                f"step {progress.step}: the validation {name} is {figures[name]}; expected a"
                " number. The last checkpoint is kept; begin a new run with --from it and a lower"
                " training.learning_rate."
            )
        check_validation(progress, figures["loss"], self.settings)
        sign = -1.0 if _higher_is_better(self.settings.metrics, select) else 1.0
        found = Validation(progress.step, sign * figures[select], figures, due=self.due())
        self.log.record("valid", progress.step, {**figures, "epoch": progress.epoch})
        mark = " *" if progress.best is None or found.rank < progress.best.rank else ""
        numbers = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
        self.log.say(f"step {progress.step} (epoch {progress.epoch}) validation: {numbers}{mark}")
        return dataclasses.asdict(found)

    def _finish(self) -> None:
        """Put the weights to use in place, and write the report and the card."""
        progress = self.progress
        check_end(progress, self.settings)
        if not progress.last:
            progress.validations.append(self.validate())
            self.save()
        self.processes.lead(self._hand_over)

    def _hand_over(self) -> None:
        progress = self.progress
        index, average = self.checkpoints.index(), self.settings.average
        names = index.validated[-average:] if average else index.best[:1]
        final = weights.average([self.checkpoints.model_weights(name) for name in names])
        folders.put_weights(self.model, final, "final weights")
        self.model.eval()
        write_weights(self.folder, final)
        best = progress.best
        figures = best.figures if best and not average else self.bench.measure()
        rivals = judge(self.bench, figures)
        self.verdict = rivals.verdict
        write_rivals(self.folder, rivals)
        self.bench.present(self.folder, progress, self.verdict)


def _higher_is_better(metrics: list[Part[Metric]], name: str) -> bool:
    return any(part.build().higher_is_better for part in metrics if part.kind == name)
