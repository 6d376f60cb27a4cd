"""The training loop: fetch, objective, backward, clip, step, report.

It knows an objective and batches, not models. All that is random in step n is drawn from a seed
made of (seed, n), and the order of the data is a function of (seed, epoch): a run that is resumed
goes on, bit for bit, as if it had not stopped. Of several processes each takes a share of the
pairs of every update, and draws from a seed that has its rank in it too: the pairs of an update
are the same on any number of processes, the dropout masks are a function of that number. Each holds
the whole model, or a part of it: see holding.py.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

import torch

from saccade.data.plan import PairBatches, Plan
from saccade.errors import TrainingError
from saccade.flow import Batch, Loss
from saccade.kernels.allocator import kept_memory
from saccade.kernels.precision import products
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.recipe import Training
from saccade.schedules.base import Schedule
from saccade.train import weights
from saccade.train.checkpoint import Snapshot
from saccade.train.divergence import check_divergence
from saccade.train.holding import Holding, Whole
from saccade.train.optim import MovingAverage, moments, optimiser_of, put_moments
from saccade.train.price import added
from saccade.train.processes import ALONE, Processes
from saccade.train.progress import Progress, Validation
from saccade.train.tally import UpdateTally

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Update:
    """What one update did, for those who watch."""

    loss: float
    nll: float
    tokens: int
    learning_rate: float
    gradient_norm: float
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What happens around the updates. Plain callables, all given the Progress."""

    updated: Callable[[Progress, Update], None]
    validate: Callable[[Progress], Validation]
    save: Callable[[Progress], None]
    stop: Callable[[Progress], str]  # why to stop now, or nothing


class Loop:
    """One run: the model, its optimiser, and where it stands."""

    def __init__(
        self,
        model: Model,
        objective: Objective,
        batches: PairBatches,
        settings: Training,
        seed: int,
        processes: Processes = ALONE,
    ) -> None:
        self.holding = _held(model, objective, settings, processes)
        self.model = self.holding.model
        self.objective = objective
        self.batches = batches
        self.settings = settings
        self.processes = processes
        self.seed = seed_of(seed, processes.rank) if processes.rank else seed
        own = self.holding.own
        self.device = next(own.parameters()).device
        self.schedule: Schedule = settings.schedule.build()
        self.optimiser = optimiser_of(own, settings)
        self.trained = [p for p in own.parameters() if p.requires_grad]
        self.average = MovingAverage(own, settings.ema) if settings.ema else None
        self.progress = Progress()
        self.plan: Plan = batches.epoch(0)

    def run(self, hooks: Hooks) -> str:
        """Update until something says stop; return what it said."""
        with kept_memory(self.holding.kept):
            return self._run(hooks)

    def _run(self, hooks: Hooks) -> str:
        progress = self.progress
        while not (reason := hooks.stop(progress)):
            started = time.monotonic()
            update = self.update()
            progress.seconds += time.monotonic() - started
            hooks.updated(progress, update)
            due = self.due()
            if due:
                progress.validations.append(hooks.validate(progress))
            progress.elapsed += time.monotonic() - started
            if due:
                started = time.monotonic()
                hooks.save(progress)
                progress.elapsed += time.monotonic() - started
        return reason

    def update(self) -> Update:
        """Make one update: fetch, objective, backward, clip, step."""
        progress, settings = self.progress, self.settings
        self.model.train()
        self.optimiser.zero_grad(set_to_none=True)
        tally = self._tallied()
        self.holding.collect(self.processes)
        self.processes.average(self.objective.learned)
        norm, count = self._divide(tally.count), tally.count
        rate = settings.learning_rate * self.schedule.factor(progress.step, progress.grades)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        progress.step += 1
        self.processes.at(progress.step)
        progress.tokens += count
        progress.source_tokens += tally.source_tokens
        progress.lengths = [a + b for a, b in zip(progress.lengths, tally.lengths, strict=True)]
        if self.average:
            self.average.update(self.holding.own, progress.step)
        check_divergence(progress, tally.nll / count, rate, settings)
        return Update(tally.total / count, tally.nll / count, count, rate, norm, tally.counts)

    def _tallied(self) -> UpdateTally:
        """Compute the gradients of an update, and return what all its pairs were together.

        Where processes speak within a pass, one that makes a mistake there can tell nobody of it.
        """
        if self.holding.joint:
            with self.processes.bound():
                found = self.processes.tell(self._backward().plain())
        else:
            found = self.processes.share(lambda: self._backward().plain())
        return sum((UpdateTally(**one) for one in found[1:]), start=UpdateTally(**found[0]))

    def _backward(self) -> UpdateTally:
        """Compute the gradients of this process's share of an update, and add up what it was."""
        progress = self.progress
        _seed(seed_of(self.seed, progress.step), self.device)
        generator = torch.Generator().manual_seed(seed_of(self.seed, progress.step) + 1)
        moment = Moment(progress.step, generator)
        tally, fetched = UpdateTally(), self._fetch()
        while share := self._settled(lambda: next(fetched, None)):
            batch = share.batch
            with products(self.settings.precision, self.device):
                loss = self.holding.loss(self.objective, batch, moment)
            self._check(loss, batch)
            if share.borrowed:
                (loss.total * 0.0).backward()  # type: ignore[no-untyped-call]
                continue
            loss.total.backward()  # type: ignore[no-untyped-call]
            total = loss.total.item()
            tally += UpdateTally(
                total,
                loss.parts.get("nll", total),
                loss.count,
                batch.n_source_places,
                added(tally.nothing, batch),
                dict(loss.counts),
            )
        return tally

    def _settled(self, work: Callable[[], T]) -> T:
        """Do what others may fail in, before or after a pass in which all speak."""
        return self.processes.settle(work) if self.holding.joint else work()

    def _fetch(self) -> "Iterator[_Share]":
        """Yield this process's share of one update; at the end of an epoch go on with the next.

        Whole batches if every process gets as many, else every so-manieth row of each: neighbours
        are of like length, so the shares are too. If all must make as many passes, a process that
        gets no row borrows one.
        """
        progress, (rank, size) = self.progress, (self.processes.rank, self.processes.size)
        whole = self.settings.accumulate % size == 0
        for n in range(self.settings.accumulate):
            rows, epoch = self.plan[progress.batch], progress.epoch
            progress.batch += 1
            if self.plan.ends(progress.batch):
                progress.epoch, progress.batch = progress.epoch + 1, 0
                self.plan = self.batches.epoch(progress.epoch)
            progress.place = self.plan.place
            mine = rows[: len(rows) * (n % size == rank)] if whole else rows[rank::size]
            borrowed = not len(mine) and not whole and self.holding.joint
            if not len(mine) and not borrowed:
                continue
            batch = self.batches.batch(rows[:1] if borrowed else mine, epoch)
            if self.objective.all_references:
                batch = replace(batch, references=self.batches.references(batch.index))
            yield _Share(batch.to(self.device), borrowed)

    def _divide(self, count: int) -> float:
        """Divide the gradient by `count`, and by more if it is longer than `clip` then.

        The optimiser does so when it reads it: on two cores of Zen 3, 1.014 updates in the time of
        one of the benchmarks' recurrent model without feeding.
        """
        norm = self.holding.norm(self.processes) / count
        if not math.isfinite(norm):
            raise TrainingError(
                f"step {self.progress.step}: the gradient is {norm}; expected a number. The last"
                " checkpoint is kept; begin a new run with --from it and a lower"
                " training.learning_rate or training.clip."
            )
        limit = self.settings.clip or math.inf
        divisor = torch.tensor(count * max(1.0, norm / limit), device=self.device)
        self.optimiser.grad_scale = divisor  # type: ignore[union-attr] # as torch.amp gives it
        return norm

    def _check(self, loss: Loss, batch: Batch) -> None:
        def look() -> None:
            if not torch.isfinite(loss.total):
                raise self._no_number(loss, batch)

        self._settled(look)

    def _no_number(self, loss: Loss, batch: Batch) -> TrainingError:
        origins = [self.batches.origin(i) for i in batch.index]
        more = ", ..." if len(origins) > 5 else ""
        return TrainingError(
            f"step {self.progress.step}: the loss is {loss.total.item()} on the batch of"
            f" {len(origins)} examples {', '.join(origins[:5])}{more}; expected a number. The"
            " last checkpoint is kept; look at these lines, or begin a new run with --from it"
            " and a lower training.learning_rate."
        )

    def due(self) -> bool:
        """Say whether the recipe asks for a validation at this step."""
        every = self.settings.validate_every
        return self.progress.step % every == 0 if every else self._at_epoch_edge()

    def _at_epoch_edge(self) -> bool:
        return self.progress.epoch > 0 and self.progress.batch < self.settings.accumulate

    def show(self) -> None:
        """Bring weights in shards together in the model that is judged; all processes do so."""
        average = self.average
        self.holding.show(average.weights if average else weights.of(self.holding.own))

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Put the moving average into the model, if there is one, for the time of a `with`.

        One in shards has been shown.
        """
        if not self.average or self.holding.joint:
            yield
            return
        raw = {name: t.clone() for name, t in weights.of(self.model).items()}
        weights.put(self.model, self.average.weights, "moving average")
        try:
            yield
        finally:
            weights.put(self.model, raw, "raw weights")

    def snapshot(self) -> Snapshot:
        """Return all that a checkpoint holds."""
        own = weights.of(self.holding.own)
        raw = {f"raw.{name}": t for name, t in own.items()} if self.average else {}
        model = self.average.weights if self.average else own
        learned = {f"objective.{name}": t for name, t in self.objective.learned.items()}
        training = {**moments(self.holding.own, self.optimiser), **raw, **learned}
        stored = self.holding.stored
        return Snapshot(stored(model), stored(training), self.progress, joint=self.holding.joint)

    def restore(self, snapshot: Snapshot, where: str) -> None:
        """Go back to where a checkpoint was written."""
        held = self.holding.own
        own, taken = weights.of(held), self.holding.taken
        model, training = taken(snapshot.model), taken(snapshot.training)
        weights.put(held, model, where)  # checks names and shapes
        if self.average:
            self.average = MovingAverage(held, self.average.decay)
            raw = {name: training[f"raw.{name}"] for name in own if f"raw.{name}" in training}
            weights.put(held, raw, where)
        put_moments(held, self.optimiser, training)
        for name in self.objective.learned:
            self.objective.learned[name] = training[f"objective.{name}"].clone()
        self.progress = snapshot.progress
        self.plan = self.batches.epoch(self.progress.epoch, self.progress.place)
        self.processes.at(self.progress.step)


@dataclass(frozen=True, slots=True)
class _Share:
    """What one process does of a batch; a borrowed row is computed and counts for nothing."""

    batch: Batch
    borrowed: bool


def _held(model: Model, objective: Objective, settings: Training, processes: Processes) -> Holding:
    if not settings.shard or processes.size == 1:
        return Whole(model)
    from saccade.train.shards import Sharded  # noqa: PLC0415 - takes a second, wanted here alone

    return Sharded(model, processes, apart=objective.steady)


def _seed(seed: int, device: torch.device) -> None:
    """Seed what layers on `device` draw from.

    `torch.manual_seed` also notes the call, with the stack that it came from in words, for every
    kind of device that may yet be used.
    """
    if device.type == "cpu":
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)


def seed_of(seed: int, step: int) -> int:
    """Mix two numbers into a seed; neighbours in either give unrelated seeds (SplitMix64).

    >>> seed_of(1, 0) != seed_of(0, 1)
    True
    """
    mask = (1 << 64) - 1
    z = (seed * 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return (z ^ (z >> 31)) >> 2
