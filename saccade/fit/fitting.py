"""`saccade fit`: from files to a trained and measured model, in the time that is allowed."""

import dataclasses
import json
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.fit.candidates import Candidate, Plain, candidates_for
from saccade.fit.files import ColumnNames, UserData, find_corpus
from saccade.fit.halving import Standing, Timed, halve, promised, share_out
from saccade.fit.jobs import JOBS, TaskKind, find_job, job_named
from saccade.fit.rules import RunSizes, sizes_for
from saccade.fit.survey import Survey, survey
from saccade.folders import model as folders
from saccade.learners._bench import Bench
from saccade.learners.timing import Timing, roughly, time_updates
from saccade.parts import Part
from saccade.predict.evaluation import Evaluation
from saccade.predict.verdict import Verdict
from saccade.readers.base import Reader
from saccade.readers.split import share
from saccade.recipe import Recipe
from saccade.run import Run
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import write_text
from saccade.train.progress import Progress

_FEWEST = 20  # pairs with different sources
_MOST_HELD, _LEAST_HELD = 1000, 30  # pairs of each held-out part
_RESERVED = 0.06  # of the time, for what nobody timed
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?")
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LEAST_SECONDS = 20.0
PLAN = "fit.json"


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known before anything is timed: the data, the task and the recipes to try."""

    corpus: UserData
    found: Survey
    job: TaskKind
    why: str
    sizes: RunSizes
    held: float
    counts: dict[str, int]
    candidates: list[Candidate]

    def told(self) -> list[str]:
        """Say what was found and chosen, and why, a line each."""
        parts = ", ".join(f"{n:,} {part}" for part, n in self.counts.items())
        source, target = self.found.source, self.found.target
        return [
            f"{self.found.pairs:,} pairs from {', '.join(map(str, self.corpus.paths))}: {parts}.",
            f"Sources have {source.characters:.0f} characters, targets {target.characters:.0f}"
            f" on average; {self.why}. Task: {self.job.name}.",
            f"Batches of {self.sizes.batch_tokens} places, {self.sizes.updates:,} updates,"
            f" warm-up {self.sizes.warmup}, width {self.sizes.width}, dropout"
            f" {self.sizes.dropout:g}: what the rules say for {self.sizes.pairs:,} pairs.",
            *(f"Candidate {one.name}: {one.why}." for one in self.candidates),
        ]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A finished `fit`."""

    folder: Path
    outline: Outline
    standings: list[Standing]
    evaluation: Evaluation
    verdict: Verdict | None
    promised: float
    seconds: float


def outline(
    paths: Sequence[Path],
    *,
    valid: Sequence[Path] = (),
    test: Sequence[Path] = (),
    columns: ColumnNames = ColumnNames(),
    task: str = "",
    seed: int = 1,
) -> Outline:
    """Read the data once, tell what it is, and choose recipes for it."""
    corpus = find_corpus(paths, valid, test, columns)
    if task and job_named(task) is JOBS["completion"] and corpus.has_source:
        raise RecipeError(
            f"--task {task}: reads texts without sources, but {paths[0]} has pairs. Give one plain"
            " text file."
        )
    readers = [_reader(one) for one in corpus.train]
    found = survey(example for reader in readers for example in reader.read())
    if not corpus.has_source:
        job, why = JOBS["completion"], "one plain text without sources"
    else:
        job, why = (job_named(task), "as --task says") if task else find_job(found)
    if found.sources < _FEWEST and corpus.has_source:
        raise DataError(
            f"{paths[0]}: {found.sources} different sources; expected {_FEWEST} or more to learn"
            " from and to hold some out. Add pairs, or check --source and --target."
        )
    held = _held(found.pairs)
    counts = _counts(corpus, held)
    sizes = sizes_for(job, found, counts["train"])
    chosen = candidates_for(job, found, corpus, sizes, held, seed)
    return Outline(corpus, found, job, why, sizes, held, counts, chosen)


def fit(
    made: Outline,
    folder: Path,
    *,
    within: float = 1200.0,
    resume: bool = False,
    overwrite: bool = False,
    root: Path = Path(),
    console: Console | None = None,
) -> Fitted:
    """Time the recipes, train them within the time, keep the best, and measure it.

    Args:
        made: what to train.
        folder: the model folder to write; candidates train beside it, in FOLDER-candidates.
        within: seconds for all of it.
        resume: go on with the candidates of one that was interrupted.
        overwrite: delete what an earlier run left in the folder.
        root: where relative paths start.
        console: where to tell of progress; stderr if not given.
    """
    begun = time.monotonic()
    console = console or Console(stderr=True)
    folders.claim(folder, overwrite=overwrite, advice="Choose another -o, or give --overwrite.")
    beside = folder.with_name(f"{folder.name}-candidates")
    for line in made.told():
        console.print(line, markup=False, highlight=False)
    if resume:
        timed, expected = read_plan(beside)
    else:
        _clear(beside, overwrite=overwrite)
        timed = _timed(made, within, begun, root)
        expected = time.monotonic() - begun + promised(timed) + _evaluation_seconds(timed)
        write_text(beside / PLAN, json.dumps(_plan(made, timed, expected), indent=1))
    console.print(_promise(timed, expected, within), markup=False, highlight=False)
    runs: dict[str, Run] = {}

    def train(name: str, recipe: Recipe) -> Progress:
        place = beside / name
        left = begun + within * (1 - _RESERVED) - time.monotonic()
        limited = _limited(recipe, (_elapsed(place) + max(left, 1.0)) / 60)
        going_on = (place / "saccade.json").exists()
        console.print(f"— {name}", markup=False)
        runs[name] = run.train(limited, place, resume=going_on, root=root, console=console)
        return runs[name].progress

    whole = {one.candidate.name: recipes.from_plain(one.recipe, "fit") for one in timed}
    standings = halve(whole, train, lambda text: console.print(text, markup=False))
    best = next(one for one in timed if one.candidate.name == standings[0].name)
    _settle(beside / best.candidate.name, folder)
    chosen = dataclasses.replace(best.candidate, recipe=best.recipe)
    write_text(folder / "fit.yaml", readable(made, chosen))
    evaluation = run.evaluate(folder, "test", root=root)
    seconds = time.monotonic() - begun
    facts = {**_plan(made, timed, expected), "seconds": seconds, "chosen": best.candidate.name}
    write_text(folder / PLAN, json.dumps(facts, indent=1))
    learned = runs[best.candidate.name].verdict
    return Fitted(folder, made, standings, evaluation, learned, expected, seconds)


def seconds_in(text: str) -> float:
    """Read a time as people write it.

    >>> seconds_in("90s"), seconds_in("20m"), seconds_in("1.5h")
    (90.0, 1200.0, 5400.0)
    """
    match = _TIME.fullmatch(text.strip())
    if not match:
        raise RecipeError(f"--within {text}: expected a time such as 90s, 20m or 2h.")
    seconds = float(match[1]) * _UNITS[match[2] or "m"]
    if seconds < _LEAST_SECONDS:
        raise RecipeError(f"--within {text}: expected {_LEAST_SECONDS:.0f} s or more.")
    return seconds


def read_plan(beside: Path) -> tuple[list[Timed], float]:
    """Read what an interrupted `fit` had chosen."""
    try:
        plan = json.loads((beside / PLAN).read_text(encoding="utf-8"))
        timed = [
            Timed(
                Candidate(str(one["name"]), one["recipe"], str(one["why"])),
                Timing(one["seconds_per_update"], one["seconds_per_validation"]),
                int(one["updates"]),
            )
            for one in plan["candidates"]
        ]
        return timed, float(plan["promised"])
    except (OSError, ValueError, KeyError, TypeError):
        raise CheckpointError(
            f"{beside}: holds no plan to resume; expected {PLAN} of an interrupted fit. Leave out"
            " --resume."
        ) from None


def _clear(beside: Path, *, overwrite: bool) -> None:
    """Make the folder of the candidates, in place of what an earlier `fit` left there."""
    ours = (beside / PLAN).exists()
    if beside.exists() and (not ours or not overwrite) and any(beside.iterdir()):
        raise CheckpointError(
            f"{beside}: exists already; expected to train candidates there."
            + (" Give --resume to go on, or --overwrite." if ours else " Choose another -o.")
        )
    if beside.exists():
        shutil.rmtree(beside)
    beside.mkdir(parents=True)


def _limited(recipe: Recipe, minutes: float) -> Recipe:
    training = dataclasses.replace(recipe.training, max_minutes=minutes)
    return dataclasses.replace(recipe, training=training)


def _elapsed(place: Path) -> float:
    """Return the seconds that a candidate has trained so far."""
    if not (place / "saccade.json").exists():
        return 0.0
    checkpoints = Checkpoints(place)
    names = checkpoints.index().names
    return checkpoints.progress(names[-1]).elapsed if names else 0.0


def _reader(reading: Plain) -> Reader:
    kind, options = reading["kind"], {k: v for k, v in reading.items() if k != "kind"}
    return Part(Reader, kind, options).build(Path())


def _held(n: int) -> float:
    """Return the share of each held-out part: a tenth, 30 pairs at least and 1,000 at most.

    >>> _held(200), _held(1000), _held(40_000)
    (0.15, 0.1, 0.025)
    """
    return round(min(0.15, max(min(0.1, _MOST_HELD / max(n, 1)), _LEAST_HELD / max(n, 1))), 3)


def _counts(corpus: UserData, held: float) -> dict[str, int]:
    """Count the pairs of each part, as reader `split` parts them."""
    test_share, valid_share = 0.0 if corpus.test else held, 0.0 if corpus.valid else held
    counts = {"train": 0, "valid": 0, "test": 0}
    for reading in corpus.train:
        for example in _reader(reading).read():
            u = share(example.source or example.target)
            part = (
                "test" if u < test_share else "valid" if u < test_share + valid_share else "train"
            )
            counts[part] += 1
    for part, held_out in (("valid", corpus.valid), ("test", corpus.test)):
        if held_out:
            counts[part] = sum(1 for _ in _reader(held_out).read())
    return counts


def _timed(made: Outline, within: float, begun: float, root: Path) -> list[Timed]:
    """Time the first three candidates, for a fiftieth of the time each, and share the rest out."""
    found: list[tuple[Candidate, Timing]] = []
    for candidate in made.candidates[:3]:
        with torch.random.fork_rng(devices=[]):
            bench = Bench(recipes.from_plain(candidate.recipe, "fit"), root, "cpu", None, None)
            found.append((candidate, time_updates(bench, most_seconds=min(0.02 * within, 15.0))))
    spent = time.monotonic() - begun
    return share_out(found, (within - spent) * (1 - _RESERVED) * 0.92)


def _evaluation_seconds(timed: Sequence[Timed]) -> float:
    """Guess at reports and the last evaluation: some validations with a beam."""
    return 4 * timed[0].timing.seconds_per_validation + 2.0 * (len(timed) + 1)


def _promise(timed: Sequence[Timed], expected: float, within: float) -> str:
    each = "; ".join(
        f"{one.candidate.name} {one.updates:,} updates of {one.timing.seconds_per_update:.2g} s"
        for one in timed
    )
    return f"This takes about {roughly(expected)} of the {roughly(within)} allowed: {each}."


def _plan(made: Outline, timed: Sequence[Timed], expected: float) -> dict[str, Any]:
    return {
        "task": made.job.name,
        "why": made.why,
        "pairs": made.counts,
        "promised": expected,
        "candidates": [
            {
                "name": one.candidate.name,
                "why": one.candidate.why,
                "updates": one.updates,
                "seconds_per_update": one.timing.seconds_per_update,
                "seconds_per_validation": one.timing.seconds_per_validation,
                "recipe": one.recipe,
            }
            for one in timed
        ],
    }


def _settle(winner: Path, folder: Path) -> None:
    """Put the winner's folder in its place, which was claimed before."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    winner.rename(folder)


def readable(made: Outline, chosen: Candidate, name: str = "") -> str:
    """Write a recipe as a person would, with what was found and why on top."""
    lines = [
        "Chosen by the rules of `saccade fit`. Edit it; train it with: saccade train THIS",
        *made.told()[:3],
        f"Model {chosen.name}: {chosen.why}.",
        "`saccade parts` lists what a recipe can name; `saccade recipe show` fills in defaults.",
    ]
    head = "".join(f"# {line}\n" for line in lines)
    recipe = {**chosen.recipe, "name": name or chosen.name}
    return head + yaml.safe_dump(
        recipe, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
