"""The assembly: recipe in, trained and measured model folder out. One function a verb."""

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from saccade import folder as folders
from saccade import recipe as recipes
from saccade.errors import CheckpointError, DataError, Interrupted, RecipeError
from saccade.evaluation import Evaluation, figures_of, loss_of, perplexity_of
from saccade.metrics.base import Metric
from saccade.models.base import Model
from saccade.parts import Part
from saccade.prepare import Prepared, batches_of, prepare
from saccade.recipe import Recipe, Training
from saccade.report import write_card, write_report
from saccade.search.base import Search
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import sweep_leftovers, write_file
from saccade.train.log import Log
from saccade.train.loop import Hooks, Loop, Update
from saccade.train.progress import Progress, Validation
from saccade.train.signals import Signals
from saccade.translator import Translator

# What may change when a run is resumed: when to stop and what to say, not what is learned.
FREE = (
    "max_steps max_epochs max_minutes patience report_every keep_best keep_last average threads"
    " tensorboard".split()
)


@dataclass(frozen=True, slots=True)
class Run:
    """A finished training: its folder, its model, and where it stood at the end."""

    folder: Path
    translator: Translator
    progress: Progress
    reason: str


def train(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    start_from: Path | None = None,
    overwrite: bool = False,
    device: str = "cpu",
    root: Path = Path(),
    console: Console | None = None,
) -> Run:
    """Train a recipe into a folder.

    Args:
        recipe: what to do.
        folder: where to write; must be new unless `resume` or `overwrite`.
        resume: go on from the folder's last checkpoint, as if it had not stopped.
        start_from: a model folder whose vocabularies and weights to start from.
        overwrite: delete what an earlier run left in the folder.
        device: where to compute.
        root: where the relative paths of the recipe start.
        console: where to tell of progress; stderr if not given.
    """
    _claim(folder, resume=resume, overwrite=overwrite)
    if recipe.training.threads:
        torch.set_num_threads(recipe.training.threads)
    base = folder if resume else start_from
    known = folders.read_identity(base) if base else None
    prepared = prepare(recipe, root, known.vocabularies if known else None)
    if resume and known:
        _check_same(known, recipe, prepared)
    else:
        folders.write_identity(folder, recipe, prepared.vocabularies, prepared.hashes)
    model = folders.build_model(recipe, prepared.vocabularies)
    if start_from and not resume:
        weights.put(model, *folders.read_weights(start_from))
    log = Log(folder, console or Console(stderr=True), _board(folder, recipe.training))
    with torch.random.fork_rng(devices=[]), Signals() as signals:
        return _Training(recipe, prepared, model.to(device), folder, log, signals).run(resume=resume)


class _Training:
    """One call of `train`, between claiming the folder and handing over the model."""

    def __init__(
        self,
        recipe: Recipe,
        prepared: Prepared,
        model: Model,
        folder: Path,
        log: Log,
        signals: Signals,
    ) -> None:
        settings = recipe.training
        self.recipe, self.settings, self.folder, self.log = recipe, settings, folder, log
        self.signals = signals
        self.batches = batches_of(recipe, prepared.train, settings.batch_tokens)
        self.valid = batches_of(recipe, [prepared.valid], settings.batch_tokens)
        self.examples = list(recipe.data.valid.build(Path()).read()) if settings.metrics else []
        sides = prepared.vocabularies
        self.translator = Translator(model, sides.source, sides.target, recipe.decoding)
        objective = settings.objective.build()
        self.loop = Loop(model, objective, self.batches, settings, recipe.seed)
        keep_last = max(settings.keep_last, settings.average)
        self.checkpoints = Checkpoints(folder, keep_best=settings.keep_best, keep_last=keep_last)
        self.report_at = time.monotonic()

    def run(self, *, resume: bool) -> Run:
        """Begin or go on, update until told to stop, and hand over the model."""
        self._begin(resume=resume)
        hooks = Hooks(self._updated, self._validate, self._save, self._stop)
        before = self.loop.progress.step
        with self.log.live():
            reason = self.loop.run(hooks)
        progress = self.loop.progress
        if self.signals.caught:
            self._save(progress)
            raise Interrupted(
                self.signals.caught,
                f"stopped by a signal at step {progress.step}; the checkpoint is written. Go on"
                f" with --resume.",
            )
        if progress.step == before:
            self.log.say(f"Nothing was left to train: {reason}.")
        return self._finish(reason)

    def _begin(self, *, resume: bool) -> None:
        model, log = self.translator.model, self.log
        index = self.checkpoints.index()
        if resume and index.names:
            self.loop.restore(self.checkpoints.load(index.last), str(self.checkpoints.folder))
            (self.folder / "model.safetensors").unlink(missing_ok=True)
            log.say(f"Going on from step {self.loop.progress.step}.")
        log.say(
            f"{self.recipe.name}: {count_parameters(model):,} parameters; vocabulary"
            f" {len(self.translator.source):,} and {len(self.translator.target):,};"
            f" training on {self.batches.describe()}, {len(self.loop.plan):,} batches an epoch."
        )
        if not index.names:
            self._save(self.loop.progress)

    def _updated(self, progress: Progress, update: Update) -> None:
        if progress.step % self.settings.report_every:
            return
        speed = progress.tokens / max(progress.seconds, 1e-9)
        self.log.record(
            "train",
            progress.step,
            {
                "epoch": progress.epoch,
                "loss": update.loss,
                "nll": update.nll,
                "learning_rate": update.learning_rate,
                "gradient_norm": update.gradient_norm,
                "tokens": progress.tokens,
                "tokens_per_second": speed,
                "seconds": progress.seconds,
            },
        )
        text = (
            f"epoch {progress.epoch + 1} step {progress.step} loss {update.nll:.3f}"
            f" {speed:,.0f} tokens/s"
        )
        self.log.report(self._share(progress), text, progress.seconds)

    def _validate(self, progress: Progress) -> Validation:
        with self.loop.averaged():
            figures = {"loss": loss_of(self.translator.model, self.valid)}
            for part in self.settings.metrics:
                figures[part.kind] = self._measure(part)
        select = self.settings.select
        figure = figures[select] * (-1.0 if _higher_is_better(self.settings, select) else 1.0)
        validation = Validation(progress.step, figure, figures)
        self.log.record("valid", progress.step, {**figures, "epoch": progress.epoch})
        best = progress.best
        mark = " *" if best is None or figure < best.figure else ""
        numbers = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
        self.log.say(f"step {progress.step} (epoch {progress.epoch}) validation: {numbers}{mark}")
        return validation

    def _measure(self, part: Part[Metric]) -> float:
        sources = [example.source for example in self.examples]
        found = self.translator.stream(sources, search=Part(Search, "greedy"))
        outputs = [translation.text for translation in found]
        return part.build().corpus(outputs, [e.target for e in self.examples]).value

    def _save(self, progress: Progress) -> None:
        self.checkpoints.save(self.loop.snapshot())

    def _stop(self, progress: Progress) -> str:
        settings = self.settings
        if self.signals.caught:
            return "a signal asked to stop"
        if settings.max_steps and progress.step >= settings.max_steps:
            return f"reached max_steps {settings.max_steps}"
        if settings.max_epochs and progress.epoch >= settings.max_epochs:
            return f"reached max_epochs {settings.max_epochs}"
        if settings.max_minutes and progress.seconds >= settings.max_minutes * 60:
            return f"reached max_minutes {settings.max_minutes:g}"
        if settings.patience and progress.stale >= settings.patience:
            return f"no better {settings.select} in {settings.patience} validations"
        return ""

    def _share(self, progress: Progress) -> float:
        """How much of the run is done, by whichever limit comes first."""
        settings = self.settings
        epochs = progress.epoch + progress.batch / len(self.loop.plan)
        done = [
            (progress.step, settings.max_steps),
            (epochs, settings.max_epochs),
            (progress.seconds, settings.max_minutes * 60),
        ]
        return min(1.0, max((n / limit for n, limit in done if limit), default=0.0))

    def _finish(self, reason: str) -> Run:
        """Put the weights to use in place, and write the report and the card."""
        progress, index = self.loop.progress, self.checkpoints.index()
        if not progress.validations or progress.validations[-1].step != progress.step:
            progress.validations.append(self._validate(progress))
            self._save(progress)
            index = self.checkpoints.index()
        names = index.names[-self.settings.average :] if self.settings.average else index.best[:1]
        found = [weights.load(self.checkpoints.folder / n / "model.safetensors") for n in names]
        final = weights.average(found)
        weights.put(self.translator.model, final, "final weights")
        write_file(self.folder / "model.safetensors", lambda path: weights.save(path, final))
        self.translator.model.eval()
        self.log.say(f"Done: {reason}. The model is in {self.folder}.")
        write_card(self.folder, self.recipe, self.translator, progress)
        write_report(self.folder, self.recipe, self.translator, progress)
        return Run(self.folder, self.translator, progress, reason)


def evaluate(
    folder: Path,
    split: str = "test",
    *,
    metrics: Iterable[Part[Metric]] = (),
    device: str = "cpu",
    root: Path = Path(),
    most: int = 0,
    **options: Any,
) -> Evaluation:
    """Decode a named split of the model's recipe and measure it.

    Args:
        folder: a model folder.
        split: valid, or a name of data.test.
        metrics: what to measure; the recipe's own if empty.
        device: where to compute.
        root: where the relative paths of the recipe start.
        most: only so many sentences; 0 means all.
        options: those of `Translator.stream`.
    """
    recipe = folders.read_identity(folder).recipe
    readers = {"valid": recipe.data.valid, **recipe.data.test}
    if split not in readers:
        raise RecipeError(f"{folder}: no split '{split}'; there are {', '.join(readers)}.")
    examples = list(readers[split].build(root).read())[: most or None]
    translator = folders.load(folder, device=device)
    started = time.monotonic()
    found = translator.translate([example.source for example in examples], **options)
    seconds = time.monotonic() - started
    outputs = [translation.text for translation in found]
    references = [example.target for example in examples]
    chosen = list(metrics) or recipe.decoding.metrics
    figures = figures_of(chosen, outputs, references)
    return Evaluation(
        split, examples, found, figures, perplexity_of(translator, examples), seconds
    )


def average(source: Path, target: Path, *, last: int = 0, best: int = 0) -> list[str]:
    """Write a model folder with the mean weights of several checkpoints of a run.

    Args:
        source: a run folder.
        target: the model folder to write; must be new.
        last: average so many of the newest checkpoints.
        best: average so many of the best checkpoints instead.
    """
    if target.exists() and any(target.iterdir()):
        raise CheckpointError(f"{target}: exists and is not empty. Choose another folder.")
    identity = folders.read_identity(source)
    checkpoints = Checkpoints(source)
    index = checkpoints.index()
    names = index.best[:best] if best else index.names[-last:]
    if not names or len(names) < (best or last):
        raise CheckpointError(
            f"{source}: asked for {best or last} checkpoints, found {len(names)}. Keep more with"
            " training.keep_last or training.keep_best."
        )
    found = [weights.load(checkpoints.folder / name / "model.safetensors") for name in names]
    mean = weights.average(found)
    sides, hashes = identity.vocabularies, identity.facts.get("data", {})
    folders.write_identity(target, identity.recipe, sides, hashes)
    write_file(target / "model.safetensors", lambda path: weights.save(path, mean))
    return names


def count_parameters(model: Model) -> int:
    """Count the numbers that training moves."""
    return sum(parameter.numel() for parameter in model.parameters())


def _claim(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Make sure that the folder is ours to write to."""
    if folder.is_file():
        raise CheckpointError(f"{folder}: is a file; expected a folder to write the run to.")
    ours, used = (folder / "saccade.json").exists(), folder.exists() and any(folder.iterdir())
    if resume and not ours:
        raise CheckpointError(f"{folder}: nothing to resume: no run was begun there.")
    if resume or not used:
        sweep_leftovers(folder)
        return
    if not overwrite:
        raise CheckpointError(
            f"{folder}: already holds files. Go on with --resume, or start anew with --overwrite."
        )
    if not ours:
        raise CheckpointError(
            f"{folder}: not a run of saccade, so --overwrite will not delete it. Choose another."
        )
    shutil.rmtree(folder)


def _check_same(known: folders.Identity, recipe: Recipe, prepared: Prepared) -> None:
    """Refuse to resume a run whose recipe or data has changed."""
    changed = [
        f"{name}: was {old!r}, is {new!r}"
        for name, old, new in _differences(known.recipe.plain(), recipe.plain())
        if name.removeprefix("training.") not in FREE
    ]
    if changed:
        raise RecipeError(
            ["--resume: the recipe is not the one this run was begun with.", *changed]
            + ["Undo the change, or begin a new run with --from this folder."]
        )
    saved = known.facts.get("data", {})
    moved = [name for name, value in prepared.hashes.items() if saved.get(name) != value]
    if moved:
        raise DataError(
            f"--resume: the data has changed since this run was begun: {', '.join(moved)}. Put the"
            " old files back, or begin a new run with --from this folder."
        )


def _differences(old: Any, new: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        return [
            row
            for key in keys
            for row in _differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))
        ]
    return [] if old == new else [(path, old, new)]


def _higher_is_better(settings: Training, name: str) -> bool:
    built: Callable[[], Metric] | None = next(
        (part.build for part in settings.metrics if part.kind == name), None
    )
    return built is not None and built().higher_is_better


def _board(folder: Path, settings: Training) -> Any:
    if not settings.tensorboard:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - optional extra
    except ImportError:
        raise RecipeError(
            "training.tensorboard: TensorBoard is not installed. pip install saccade[track], or set"
            " it to false."
        ) from None
    return SummaryWriter(str(folder / "tensorboard"))


def read_recipe(path: Path, overrides: Iterable[str] = (), seed: int | None = None) -> Recipe:
    """Read a recipe with overrides and, if given, another seed."""
    return recipes.load(path, [*overrides, *([] if seed is None else [f"seed={seed}"])])
