"""One training from its first step to its report: what happens around the updates of the loop."""

import math
import time
from collections import Counter
from pathlib import Path

from saccade.errors import CheckpointError, Interrupted, TrainingError
from saccade.folders.rivals import RIVALS, write_rivals
from saccade.learners._bench import Bench
from saccade.learners.judgement import judge
from saccade.learners.timing import Pace
from saccade.metrics.base import Metric
from saccade.parts import Part
from saccade.predict.verdict import Verdict
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import sweep_leftovers, write_file
from saccade.train.limits import RunLimits
from saccade.train.log import Log
from saccade.train.loop import Hooks, Loop, Update
from saccade.train.progress import Progress, Validation
from saccade.train.signals import Signals


class Trainer:
    """Trains one model in one folder.

    verdict: once it is trained, whether it is better than a constant answer, if that is known.

    Args:
        recipe: what to do.
        bench: the data, where to start from, and how it is judged.
        folder: a folder that is ours.
        log: where to tell of it.
    """

    def __init__(self, recipe: Recipe, bench: Bench, folder: Path, log: Log) -> None:
        settings = recipe.training
        self.recipe, self.settings, self.folder, self.log = recipe, settings, folder, log
        self.bench, self.model = bench, bench.model
        self.loop = Loop(bench.model, bench.objective, bench.batches, settings, recipe.seed)
        self.checkpoints = Checkpoints(
            folder,
            keep_best=settings.keep_best,
            keep_last=max(settings.keep_last, settings.average),
        )
        self.limits = RunLimits(settings, self.loop.schedule.warmup, len(self.loop.plan))
        self.pace = Pace(self.limits)
        self.signals = Signals()
        self.verdict: Verdict | None = None
        self._counts, self._told = Counter[str](), set[str]()

    def save(self) -> None:
        """Write a checkpoint of where the run stands."""
        self.checkpoints.save(self.loop.snapshot())

    def resume(self) -> None:
        """Go back to the last checkpoint, and forget what only the stop there brought about."""
        names = self.checkpoints.index().names
        if not names:
            raise CheckpointError(
                f"{self.folder}: holds no checkpoint to resume; it is a finished model. Begin a new"
                " run with --from this folder."
            )
        name = names[-1]
        where = str(self.checkpoints.folder / name)
        self.loop.restore(self.checkpoints.load(name), where)
        progress = self.loop.progress
        if progress.last and not self.loop.due():
            progress.validations.pop()
        sweep_leftovers(self.folder)
        self.save()
        self.log.rewind(progress)
        for name in ("model.safetensors", RIVALS):
            (self.folder / name).unlink(missing_ok=True)
        self.log.say(f"Going on from step {progress.step}.")

    def run(self) -> str:
        """Update until told to stop, and put the model in place; return why it stopped."""
        self.log.say(self._describe())
        if warning := self.limits.warning():
            self.log.say(warning)
        hooks = Hooks(self._updated, self._validate, self._validated, self._stop)
        before = self.loop.progress.step
        self.pace.begin(self.loop.progress)
        with self.signals:
            with self.log.live():
                reason = self.loop.run(hooks)
            return self._ended(reason, trained=self.loop.progress.step > before)

    def _ended(self, reason: str, *, trained: bool) -> str:
        """Hand over the model, or only save where the run stands if a signal stopped it."""
        progress = self.loop.progress
        self.save()
        if self.signals.caught:
            raise Interrupted(
                self.signals.caught,
                f"stopped by a signal at step {progress.step}; the checkpoint is written. Go on"
                " with --resume.",
            )
        if not trained:
            self.log.say(f"Nothing was left to train: {reason}.")
        self._finish()
        self.log.say(f"Done: {reason}. The model is in {self.folder}.")
        if self.verdict and self.verdict.alarm:
            self.log.say(self.verdict.alarm)
        return reason

    def _describe(self) -> str:
        return (
            f"{self.recipe.name}: {weights.count(self.model):,} parameters;"
            f" {self.bench.codecs.describe()};"
            f" training on {self.bench.batches.describe()},"
            f" {len(self.loop.plan):,} batches an epoch."
        )

    def _updated(self, progress: Progress, update: Update) -> None:
        self.pace.updated(progress)
        if said := self.pace.tell(progress, self.bench):
            self.log.say(said)
        self._counts.update(update.counts)
        if progress.step % self.settings.report_every:
            return
        speed = progress.tokens / max(progress.seconds, 1e-9)
        figures = {
            "epoch": progress.epoch,
            "loss": update.loss,
            "nll": update.nll,
            "learning_rate": update.learning_rate,
            "gradient_norm": update.gradient_norm,
            "tokens": progress.tokens,
            "tokens_per_second": speed,
            "seconds": progress.seconds,
            **self._counts,
        }
        self.log.record("train", progress.step, figures)
        text = (
            f"epoch {progress.epoch + 1} step {progress.step} loss {update.nll:.3f}"
            f" {speed:,.0f} tokens/s"
        )
        self.log.report(text, progress.elapsed, self.pace.left(progress))
        for topic, remark in self.loop.objective.remarks(progress.step, self._counts).items():
            if topic not in self._told:
                self.log.say(remark)
        self._told.update(self.loop.objective.remarks(progress.step, self._counts))
        self._counts.clear()

    def _validate(self, progress: Progress) -> Validation:
        started = time.monotonic()
        with self.loop.averaged():
            figures = self.bench.measure()
        self.pace.validated(time.monotonic() - started)
        select = self.settings.select
        unusable = [select] if not math.isfinite(figures[select]) else []
        for name in unusable or (["loss"] if math.isnan(figures["loss"]) else []):
            raise TrainingError(
                f"step {progress.step}: the validation {name} is {figures[name]}; expected a"
                " number. The last checkpoint is kept; begin a new run with --from it and a lower"
                " training.learning_rate."
            )
        sign = -1.0 if _higher_is_better(self.settings.metrics, select) else 1.0
        found = Validation(progress.step, sign * figures[select], figures, due=self.loop.due())
        self.log.record("valid", progress.step, {**figures, "epoch": progress.epoch})
        mark = " *" if progress.best is None or found.rank < progress.best.rank else ""
        numbers = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
        self.log.say(f"step {progress.step} (epoch {progress.epoch}) validation: {numbers}{mark}")
        return found

    def _validated(self, _: Progress) -> None:
        started = time.monotonic()
        self.save()
        self.pace.saved(time.monotonic() - started)

    def _stop(self, progress: Progress) -> str:
        return "a signal asked to stop" if self.signals.caught else self.limits.reason(progress)

    def _finish(self) -> None:
        """Put the weights to use in place, and write the report and the card."""
        progress = self.loop.progress
        if not progress.last:
            progress.validations.append(self._validate(progress))
            self.save()
        index, average = self.checkpoints.index(), self.settings.average
        names = index.validated[-average:] if average else index.best[:1]
        found = [weights.load(self.checkpoints.folder / n / "model.safetensors") for n in names]
        final = weights.average(found)
        weights.put(self.model, final, "final weights")
        self.model.eval()
        write_file(self.folder / "model.safetensors", lambda path: weights.save(path, final))
        best = progress.best
        figures = best.figures if best and not average else self.bench.measure()
        rivals = judge(self.bench, figures)
        self.verdict = rivals.verdict
        write_rivals(self.folder, rivals)
        self.bench.present(self.folder, progress, self.verdict)


def _higher_is_better(metrics: list[Part[Metric]], name: str) -> bool:
    return any(part.build().higher_is_better for part in metrics if part.kind == name)
