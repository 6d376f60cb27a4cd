"""Learning by gradients: what happens around the updates of the loop."""

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from saccade.learners._bench import Bench
from saccade.learners._timing import Pace, estimate, open_end, time_updates
from saccade.learners.base import WARNING, Learner
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.checkpoint import Snapshot
from saccade.train.holding import Room
from saccade.train.limits import RunLimits
from saccade.train.log import Log
from saccade.train.loop import Hooks, Loop, Update
from saccade.train.processes import ALONE, Processes
from saccade.train.progress import Progress, Validation


class Trainer(Learner):
    """Trains a network by the updates of `train/loop`, and tells how far it has come."""

    shares: ClassVar[bool] = True

    def __init__(
        self,
        recipe: Recipe,
        bench: Bench,
        folder: Path,
        log: Log,
        processes: Processes = ALONE,
    ) -> None:
        super().__init__(recipe, bench, folder, log, processes)
        model, objective, batches = bench.model, bench.objective, bench.batches
        self.loop = Loop(model, objective, batches, self.settings, recipe.seed, processes)
        self.limits = RunLimits(self.settings, self.loop.schedule.warmup, self.loop.plan.expected)
        self.pace = Pace(self.limits)
        self._counts, self._told = Counter[str](), set[str]()

    @property
    def progress(self) -> Progress:
        """Where the run stands."""
        return self.loop.progress

    def snapshot(self) -> Snapshot:
        """Return all that a checkpoint holds."""
        return self.loop.snapshot()

    def restore(self, snapshot: Snapshot, where: str) -> None:
        """Go back to where a checkpoint was written."""
        self.loop.restore(snapshot, where)

    @property
    def room(self) -> Room | None:
        """What makes room for this process's part of a checkpoint; None if that is all of it."""
        return self.loop.holding.room

    def show(self) -> None:
        """Bring the weights to judge together in the model, if they lie in parts."""
        self.loop.show()

    def due(self) -> bool:
        """Say whether the recipe asks for a validation at this step."""
        return self.loop.due()

    def describe(self) -> str:
        """Say what is about to be trained on what."""
        return (
            f"{self.recipe.name}: {weights.count(self.model):,} parameters;"
            f" {self.bench.codecs.describe()};"
            f" training on {self.bench.batches.describe()},"
            f" {self.loop.plan.expected:,} batches an epoch{self._hands()}."
        )

    def _hands(self) -> str:
        n = self.processes.size
        parts = " with a part of the model each" if self.loop.holding.joint else ""
        return f", on {n} processes{parts}" if n > 1 else ""

    def go(self) -> str:
        """Update until something says stop; return what it said."""
        if warning := self.limits.warning():
            self.log.say(warning)
        if not self.progress.price:
            self.progress.price = self.processes.lead(lambda: {"price": self.bench.price()})[
                "price"
            ]
        self.pace.begin(self.progress)
        return self.loop.run(Hooks(self._updated, self._measured, self._validated, self._stop))

    def measure(self) -> dict[str, float]:
        """Return the figures of the weights that are to be used."""
        started = time.monotonic()
        with self.loop.averaged():
            figures = self.bench.measure()
        self.pace.validated(time.monotonic() - started)
        return figures

    @classmethod
    def rehearse(cls, recipe: Recipe, bench: Bench) -> Mapping[str, str]:
        """Time a few updates and say how many there would be."""
        training, n_batches = recipe.training, bench.batches.epoch(0).expected
        limits = RunLimits(training, training.schedule.build().warmup, n_batches)
        timing = time_updates(bench)
        cost = Progress(lengths=bench.batches.powers(), price=bench.price())
        rows = {
            "parameters": f"{weights.count(bench.model):,}",
            "batches an epoch": f"{n_batches:,}",
            "steps an epoch": f"{-(-n_batches // training.accumulate):,}",
            "costs an epoch": f"about {cost.flops:.2e} FLOPs",
            "stops after": limits.describe(),
            "takes": str(estimate(limits, timing) or open_end(limits, timing)),
        }
        return rows | {WARNING: limits.warning()}

    def _updated(self, progress: Progress, update: Update) -> None:
        if not self.processes.leads:
            return
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
            "flops": progress.flops,
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

    def _measured(self, _: Progress) -> Validation:
        return self.validate()

    def _validated(self, _: Progress) -> None:
        started = time.monotonic()
        self.save()
        if self.processes.leads:
            self.pace.saved(time.monotonic() - started)

    def _stop(self, progress: Progress) -> str:
        """Ask all: a signal may have come to any of them, and clocks differ; the first one's is."""
        caught, reason = self.signals.caught, self.limits.reason(progress)
        found = self.processes.tell({"caught": caught, "reason": reason})
        self.signals.caught = next((n for one in found if (n := one["caught"])), 0)
        return "a signal asked to stop" if self.signals.caught else str(found[0]["reason"])
