"""The assembly: recipe in, trained and measured model folder out. One function a verb."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from saccade import recipe as recipes
from saccade.data.files import check_files, examples_of, held_out, key_of
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.folders import claims
from saccade.folders import model as folders
from saccade.folders.examples import pick_examples, write_examples
from saccade.folders.facts import read_lexicon
from saccade.folders.fusion import carried
from saccade.folders.home import Belongings, write_again
from saccade.folders.identity import Charter, read_identity, read_plan
from saccade.folders.rivals import read_rivals
from saccade.intake.yaml_text import MOST_VALUES, count_values
from saccade.learners._bench import Bench
from saccade.learners.base import Learner
from saccade.look.report import More, standing, write_report
from saccade.metrics._fitting import unfit_metrics
from saccade.metrics.base import Metric
from saccade.models.base import Model
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.parts import Part, find
from saccade.predict import evaluation
from saccade.predict.decode import USUAL, Decode
from saccade.predict.evaluation import Evaluation, Opening
from saccade.predict.predictor import Predictor
from saccade.predict.verdict import Verdict, without_model
from saccade.recipe import Recipe, Training
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import write_text
from saccade.train.log import Board, Log
from saccade.train.processes import Processes, joined, restarted
from saccade.train.progress import Progress

# What may change when a run is resumed: when to stop and what to say, not what is learned.
FREE = (
    *("max_steps", "max_epochs", "max_minutes", "patience", "min_steps", "report_every"),
    *("keep_best", "keep_last", "average", "threads", "shard", "tensorboard"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """A finished training: its folder, what it worked on, and where it stood at the end.

    verdict: whether the model is better than a constant answer, where that can be told.
    """

    folder: Path
    bench: Bench
    progress: Progress
    reason: str
    verdict: Verdict | None = None

    @property
    def predictor(self) -> Predictor:
        """The trained model."""
        return self.bench.predictor


def train(  # noqa: PLR0913 - most are options
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    resume_from: int | None = None,
    start_from: Path | None = None,
    overwrite: bool = False,
    device: str = "cpu",
    root: Path = Path(),
    console: Console | None = None,
) -> Run:
    """Train a recipe into a folder.

    Under torchrun, each of its processes calls this alike; they share `folder`, and one writes.

    Args:
        recipe: what to do.
        folder: where to write; must be new unless `resume` or `overwrite`.
        resume: go on from the folder's last checkpoint, as if it had not stopped.
        resume_from: with `resume`, go on from the checkpoint of this step instead.
        start_from: a model folder whose vocabularies and weights to start from. Of a language
            model's, a model that has a source takes the target vocabulary and what weights fit. Of
            one on features, a model on pictures takes the network that made them, and their size.
        overwrite: delete what an earlier run left in the folder.
        device: where to compute.
        root: where the relative paths of the recipe start.
        console: where to tell of progress; stderr if not given.
    """
    _check_storable(recipe)
    board = _board(recipe.training)
    with (
        joined(device) as (processes, place),
        threads(recipe.training.threads),
        torch.random.fork_rng(devices=[]),
        ExitStack() as held,
    ):
        learner = _learner(recipe, start_from, processes.size)
        if restarted() and claims.is_run(folder) and Checkpoints(folder).index().names:
            resume, overwrite = True, False
        claimed = claims.claimed(folder, resume=resume, overwrite=overwrite)
        processes.lead(lambda: held.enter_context(claimed))  # for the whole run
        known = read_plan(folder) if resume else None
        if known:
            _check_recipe(known, recipe)
        bench = _bench(processes, recipe, root, place, folder if resume else None, start_from)
        if known:
            _check_data(known, bench.hashes)
        leads = processes.leads
        told = (console or Console(stderr=True)) if leads else Console(quiet=True)
        log = Log(folder if leads else None, told)
        trainer = learner(recipe, bench, folder, log, processes)
        if resume:
            trainer.resume(resume_from)
        if processes.size > 1 and not recipe.training.shard:  # which has looked already
            processes.agree(weights.sums(bench.model), "weights")
        _furnish(trainer, resume=resume)
        for text in (bench.started, *bench.warnings):
            if text:
                log.say(text)
        log.board = board(str(folder / "tensorboard")) if board and leads else None
        reason = trainer.run()
    return Run(folder, bench, trainer.progress, reason, trainer.verdict)


def _learner(recipe: Recipe, start_from: Path | None, n_processes: int) -> type[Learner]:
    """Return who fits the model; refuse what they cannot do."""
    learner = find(Learner, find(Model, recipe.model.kind).learner)
    if start_from and not learner.starts_from:
        raise RecipeError(
            f"--from {start_from}: {recipe.model.kind} counts its data from nothing; expected no"
            " folder to start from. Leave out --from."
        )
    if n_processes > 1 and not learner.shares:
        raise RecipeError(
            f"{n_processes} processes: {recipe.model.kind} counts its data in one; expected one."
            " Leave out --processes, or torchrun."
        )
    return learner


def _bench(
    processes: Processes,
    recipe: Recipe,
    root: Path,
    device: str,
    resume: Path | None,
    start_from: Path | None,
) -> Bench:
    """Make the bench: the first process stores what the others find; all must read the same."""
    made: list[Bench] = []
    processes.in_turn(lambda: made.append(Bench(recipe, root, device, resume, start_from)))
    processes.agree(made[0].hashes, "data")
    return made[0]


def _furnish(trainer: Learner, *, resume: bool) -> None:
    """Write what a run folder holds besides checkpoints."""
    bench, folder, lead = trainer.bench, trainer.folder, trainer.processes.lead
    examples = list[Example]()
    lead(lambda: examples.extend(pick_examples(trainer.recipe, bench.codecs, bench.root)))
    if resume:
        lead(lambda: write_text(folder / "recipe.yaml", bench.recipe.to_yaml()))
        lead(lambda: bench.resumed(folder))
    else:
        lead(lambda: claims.begin(folder))
        trainer.save()
        lead(lambda: bench.identify(folder))
    lead(lambda: write_examples(folder, examples))


def evaluate(
    folder: Path,
    split: str = "test",
    *,
    metrics: Iterable[Part[Metric]] = (),
    device: str = "cpu",
    root: Path = Path(),
    most: int = 0,
    opened: Opening | None = None,
    decode: Decode = USUAL,
) -> Evaluation:
    """Decode a named split of the model's recipe and measure it.

    A language model that no metric asks to write is only asked how likely it finds the texts.

    Args:
        folder: a model folder.
        split: valid, or a name of data.test.
        metrics: what to measure; the recipe's own if empty.
        device: where to compute.
        root: where the relative paths of the recipe start.
        most: only so many sentences; 0 means all.
        opened: the same model run by another engine, to write the outputs; native or torch if not
            given.
        decode: how to write.
    """
    recipe = read_plan(folder).recipe
    chosen = list(metrics) or recipe.decoding.metrics
    problems = unfit_metrics("evaluate", chosen, recipe.data.target)
    if problems:
        raise RecipeError(problems)
    examples = examples_of(recipe, split, folder, root)[: most or None]
    predictor = folders.load(folder, device=device, searcher=fastest_searcher)
    found = evaluation.evaluate(
        predictor, examples, split=split, metrics=chosen, writer=opened, decode=decode
    )
    floor = without_model(read_rivals(folder), predictor, examples, chosen, found.baselines)
    return dataclasses.replace(found, constant=floor)


def report(
    folder: Path,
    *,
    root: Path = Path(),
    device: str = "cpu",
    lengths: bool = False,
    beside: Iterable[Path] = (),
) -> Path:
    """Write report.html anew from what a run has left so far; it may still be training.

    `beside` are folders of other models of the same data, drawn below.
    """
    recipe, progress = read_identity(folder).recipe, standing(folder)
    split = next(iter(recipe.data.test), "valid")
    check_files(recipe, {key_of(recipe, split): held_out(recipe)[split]}, root)
    predictor = folders.load(folder, device=device, searcher=fastest_searcher)
    more = More(lengths, {str(one): folders.load(one, device=device) for one in beside})
    verdict = read_rivals(folder).verdict
    return write_report(folder, recipe, predictor, progress, root=root, verdict=verdict, more=more)


def average(source: Path, target: Path, *, last: int = 0, best: int = 0) -> list[str]:
    """Write a model folder with the mean weights of several checkpoints of a run.

    Args:
        source: a run folder.
        target: the model folder to write; must be new.
        last: average so many of the newest validated checkpoints; 0 means all that are kept.
        best: average so many of the best checkpoints instead.
    """
    advice = "Choose a new folder with --output, or delete this one."
    claims.claim(target, advice=advice)
    identity = read_identity(source)
    checkpoints = Checkpoints(source)
    index = checkpoints.index()
    names = index.best[:best] if best else index.validated[-last:]
    if not names or len(names) < (best or last):
        raise CheckpointError(
            f"{source}: asked for {best or last or 'all'} validated checkpoints, found"
            f" {len(names)}. Keep more with training.keep_last or training.keep_best."
        )
    mean = weights.average([checkpoints.model_weights(name) for name in names])
    mean, rivals = (
        folders.upgrade(source, mean),
        dataclasses.replace(read_rivals(source), verdict=None),
    )
    with_it = Belongings(read_lexicon(source), carried(source), rivals)
    write_again(source, target, identity, mean, with_it, advice)
    return names


def count_parameters(model: Model) -> int:
    """Count the numbers that training moves."""
    return weights.count(model)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Compute with `n` processor threads for the time of a `with`; 0 leaves them alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(n or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _check_recipe(known: Charter, recipe: Recipe) -> None:
    """Refuse to resume a run whose recipe has changed."""
    free = ["data.obtain", *(f"training.{name}" for name in FREE)]
    if recipe.decoding.max_ratio < 0:  # training has found the limits
        free += ["decoding.max_ratio", "decoding.max_extra"]
    changed = [
        f"{name}: was {old!r}, is {new!r}"
        for name, old, new in _differences(known.recipe.plain(), recipe.plain())
        if name not in free
    ]
    if changed:
        raise RecipeError(
            [
                "--resume: the recipe is not the one this run was begun with.",
                *changed,
                "Undo the change, or begin a new run with --from this folder.",
            ]
        )


def _check_storable(recipe: Recipe) -> None:
    """Refuse a recipe that could be written into the folder but not read again."""
    n = count_values(recipe.plain())
    if n > MOST_VALUES:
        raise RecipeError(
            f"recipe: {recipe.name} says {n:,} values, such as pairs that stand in it; expected at"
            f" most {MOST_VALUES:,}. Put the data into files and name them in data.train."
        )


def _check_data(known: Charter, hashes: dict[str, str]) -> None:
    """Refuse to resume a run whose data has changed."""
    saved = known.facts.get("data", {})
    moved = [name for name, value in hashes.items() if saved.get(name) != value]
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


def _board(settings: Training) -> "Callable[[str], Board] | None":
    if not settings.tensorboard:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - optional extra
    except ImportError:
        raise RecipeError(
            "training.tensorboard: TensorBoard is not installed. pip install saccade[track], or set"
            " it to false."
        ) from None
    return SummaryWriter


def read_recipe(path: Path, overrides: Iterable[str] = (), seed: int | None = None) -> Recipe:
    """Read a recipe with overrides and, if given, another seed."""
    return recipes.load(path, [*overrides, *([] if seed is None else [f"seed={seed}"])])
