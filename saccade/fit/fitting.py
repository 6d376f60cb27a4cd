"""`saccade fit`: from files to a trained and measured model, in the time that is allowed."""

import contextlib
import dataclasses
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, RecipeError
from saccade.fit.candidates import Candidate
from saccade.fit.halving import Standing, Timed, halve, share_out, stage_name
from saccade.fit.outline import Outline, readable
from saccade.fit.plan import EVALUATION, PLAN, TIMING, FitPlan, read_plan
from saccade.fit.rules import relative_cost, smaller
from saccade.folders import claims
from saccade.learners._bench import Bench
from saccade.learners._timing import roughly, time_evaluation, time_updates
from saccade.predict.evaluation import Evaluation
from saccade.predict.verdict import Verdict
from saccade.recipe import Recipe
from saccade.run import Run
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import aside, sweep_asides, sync, told, write_text
from saccade.train.progress import Progress

_RESERVED = 0.05  # of the time, for what nobody timed
_SPENT = 0.94  # of what is left after timing, that is planned with: machines are never quite steady
_UPDATES = 200  # of each candidate that are timed, at most
_TIMED = 0.015, 10.0  # the share of the time that they may take, and seconds, at most
_MOST_TIMING = 0.15  # of the time, after which no other candidate is timed
_SLACK = 1.5  # times what a last validation, a report and the evaluation were found to take
_REPORT = 0.5  # seconds
_LEAST_MEASURED = 50  # examples, however short the time
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?")
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LEAST_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A finished `fit`.

    unmeasured: test examples that were left out because the time was over.
    """

    folder: Path
    outline: Outline
    standings: list[Standing]
    evaluation: Evaluation
    verdict: Verdict | None
    plan: FitPlan
    seconds: float
    unmeasured: int = 0

    @property
    def beaten_by(self) -> list[str]:
        """The forecasts without a model that are as good by the first metric."""
        metric = next(iter(self.evaluation.figures), "")
        naive = self.evaluation.baselines
        return [name for name in naive if (self.evaluation.skill(metric, name) or 0.0) <= 0]


def fit(
    made: Outline,
    folder: Path,
    *,
    within: float = 1200.0,
    begun: float | None = None,
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
        begun: when they began, by `time.monotonic`; now if not given.
        resume: go on with the candidates of one that was interrupted.
        overwrite: delete what an earlier run left in the folder.
        root: where relative paths start.
        console: where to tell of progress; stderr if not given.
    """
    begun = time.monotonic() if begun is None else begun
    console = console or Console(stderr=True)
    claims.claim(folder, overwrite=overwrite, advice="Choose another -o, or give --overwrite.")
    beside = folder.with_name(f"{folder.name}-candidates")
    for line in made.told():
        console.print(line, markup=False, highlight=False)
    if resume:
        plan = read_plan(beside)
    else:
        _clear(beside, overwrite=overwrite)
        plan = Planner(made, within, begun, root).plan()
        plan.write(beside, made)
    if plan.times_smaller:
        made = made.smaller(plan.times_smaller)
        console.print(made.told_smaller(), markup=False, highlight=False)
    console.print(_promised(plan, within), markup=False, highlight=False)
    end = begun + within
    training = Contest(made, plan, beside, end, root, console)
    standings = training.standings()
    chosen = beside / standings[0].name
    left = end - time.monotonic()
    with plan.stage(EVALUATION):
        most = _measured(plan, made.counts["test"], left)
        evaluation = run.evaluate(chosen, "test", root=root, most=most)
    best = next(one for one in plan.shares.timed if one.candidate.name == standings[0].name)
    winner = dataclasses.replace(best.candidate, recipe=best.recipe)
    write_text(chosen / "fit.yaml", readable(made, winner))
    made_by = training.runs[winner.name]
    made_by.bench.present(chosen, made_by.progress, made_by.verdict, named=folder)
    seconds = sum(plan.taken.values()) if resume else time.monotonic() - begun
    plan.write(chosen, made, seconds=seconds, chosen=winner.name)
    _settle(chosen, folder)
    return Fitted(
        folder,
        made,
        standings,
        evaluation,
        made_by.verdict,
        plan,
        seconds,
        made.counts["test"] - most if most else 0,
    )


def promise(
    made: Outline, *, within: float, begun: float | None = None, root: Path = Path()
) -> list[str]:
    """Time a few updates of the candidates and say what `fit` would train and how long it takes.

    Nothing is written. The arguments are those of `fit`.
    """
    plan = Planner(made, within, time.monotonic() if begun is None else begun, root).plan()
    if not plan.times_smaller:
        return [_promised(plan, within)]
    return [made.smaller(plan.times_smaller).told_smaller(), _promised(plan, within)]


class Contest:
    """The training of all candidates, up to their stops and before the time is over.

    Args:
        made: what to train.
        plan: who is trained how long.
        beside: the folder of the candidates.
        end: when everything must be over, by `time.monotonic`.
        root: where relative paths start.
        console: where to tell of progress.
    """

    def __init__(
        self, made: Outline, plan: FitPlan, beside: Path, end: float, root: Path, console: Console
    ) -> None:
        self.made, self.plan, self.beside, self.root = made, plan, beside, root
        self.console, self.runs = console, dict[str, Run]()
        spare = _RESERVED * (end - time.monotonic())
        self._end = end - spare - _SLACK * plan.promised[EVALUATION]
        self._tail = {
            one.candidate.name: _SLACK * (one.around + one.timing.seconds_per_validation)
            for one in plan.shares.timed
        }

    def standings(self) -> list[Standing]:
        """Train all; return how they did, the best first."""
        shares = self.plan.shares
        whole = {one.candidate.name: recipes.from_plain(one.recipe, "fit") for one in shares.timed}
        return halve(whole, shares.stops, self._train, self._say)

    def _train(self, name: str, recipe: Recipe, stop: float) -> Progress:
        place, known = self.beside / name, name if stop == self.plan.shares.stops[0] else ""
        with self.plan.stage(stage_name(known, stop)):
            left = self._end - time.monotonic() - self._tail[name]
            limited = _limited(recipe, (_elapsed(place) + max(left, 1.0)) / 60)
            self._say(f"— {name}")
            self.runs[name] = run.train(
                limited,
                place,
                resume=claims.is_run(place),
                root=self.root,
                console=self.console,
            )
        self.plan.write(self.beside, self.made)
        return self.runs[name].progress

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False)


class Planner:
    """Times candidates on this machine and shares out the time.

    Args:
        made: what could be trained.
        within: seconds for everything.
        begun: when they began, by `time.monotonic`.
        root: where relative paths start.
    """

    def __init__(self, made: Outline, within: float, begun: float, root: Path) -> None:
        self.made, self.within, self.begun, self.root = made, within, begun, root
        self._evaluation = 0.0

    def plan(self) -> FitPlan:
        """Time the first three candidates, and say what every stage takes."""
        first = self._timed(self.made.candidates[0])
        times = self._times_smaller(first)
        made = self.made.smaller(times)
        found = [self._timed(made.candidates[0]) if times else first]
        for candidate in made.candidates[1:3]:
            if time.monotonic() - self.begun < _MOST_TIMING * self.within:
                found.append(self._timed(candidate))
        left = self._left()
        shares = share_out(found, left, made.sizes.longer)
        stages = shares.stages()
        cut = min(max(left, 0.0) / sum(stages.values()), 1.0)  # where even the fewest take longer
        trained = {name: cut * seconds for name, seconds in stages.items()}
        spent = time.monotonic() - self.begun
        promised = {TIMING: spent, **trained, EVALUATION: self._evaluation}
        return FitPlan(shares, promised, {TIMING: spent}, times)

    def _left(self) -> float:
        spent = time.monotonic() - self.begun
        return ((self.within - spent) * (1 - _RESERVED) - self._evaluation) * _SPENT

    def _timed(self, candidate: Candidate) -> Timed:
        share, most = _TIMED
        with torch.random.fork_rng(devices=[]):
            started = time.monotonic()
            recipe = recipes.from_plain(candidate.recipe, "fit")
            bench = Bench(recipe, self.root, "cpu", None, None)
            around = time.monotonic() - started + _REPORT
            timing = time_updates(bench, _UPDATES, most_seconds=min(share * self.within, most))
            if not self._evaluation:
                test = next(iter(recipe.data.test.values())).build(self.root)
                self._evaluation = time_evaluation(bench, list(test.read())) + _REPORT
        return Timed(candidate, timing, recipe.training.max_steps, around)

    def _times_smaller(self, first: Timed) -> int:
        """Say how often sizes must become smaller so that the first candidate gets its updates."""
        left, times = self._left(), 0
        costs = relative_cost(self.made.sizes)
        while True:
            made = self.made.smaller(times)
            share = relative_cost(made.sizes) / costs
            if first.seconds() * share <= left or smaller(made.job, made.sizes) is None:
                return times
            times += 1


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


def _measured(plan: FitPlan, n: int, left: float) -> int:
    """Return how many test examples there is time for; 0 means all of them.

    Decoding is taken to be as much slower than promised as training was.
    """
    stages = [name for name in plan.taken if name in plan.promised and name != TIMING]
    promised = sum(plan.promised[name] for name in stages)
    slower = max(sum(plan.taken[name] for name in stages) / max(promised, 1e-9), 1.0)
    expected = plan.promised[EVALUATION] * slower
    return 0 if expected <= left else max(int(n * left / expected), min(_LEAST_MEASURED, n))


def _clear(beside: Path, *, overwrite: bool) -> None:
    """Make the folder of the candidates, in place of what an earlier `fit` left there."""
    sweep_asides(beside)
    sweep_asides(beside / PLAN)
    ours = (beside / PLAN).exists()
    if beside.exists() and (not ours or not overwrite) and any(beside.iterdir()):
        raise CheckpointError(
            f"{beside}: exists already; expected to train candidates there."
            + (" Give --resume to go on, or --overwrite." if ours else " Choose another -o.")
        )
    _drop(beside)
    beside.mkdir(parents=True)


def _limited(recipe: Recipe, minutes: float) -> Recipe:
    training = dataclasses.replace(recipe.training, max_minutes=minutes)
    return dataclasses.replace(recipe, training=training)


def _elapsed(place: Path) -> float:
    """Return the seconds that a candidate has trained so far."""
    if not claims.is_run(place):
        return 0.0
    checkpoints = Checkpoints(place)
    names = checkpoints.index().names
    return checkpoints.progress(names[-1]).elapsed if names else 0.0


def _promised(plan: FitPlan, within: float) -> str:
    each = "; ".join(
        f"{one.candidate.name} {one.updates:,} updates of {one.timing.seconds_per_update:.2g} s"
        for one in plan.shares.timed
    )
    early = [f"{stop:.0%}" for stop in plan.shares.stops[:-1]]
    dropped = f" The worst stops at {' and at '.join(early)}." if early else ""
    told = f"This takes about {roughly(plan.seconds)}"
    if plan.seconds > within:
        return (
            f"{told}, more than the {roughly(within)} allowed, which only suffice to time and"
            f" measure a model: {each}.{dropped} Allow more with --within."
        )
    return f"{told} of the {roughly(within)} allowed: {each}.{dropped}"


def _settle(winner: Path, folder: Path) -> None:
    """Put the winner's folder in its place, which was claimed before: the last step of all."""
    sweep_asides(folder)
    old = _moved(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with told(folder):
        winner.rename(folder)
        sync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def _drop(folder: Path) -> None:
    """Delete a folder under another name, so that a kill leaves no half of it under its own."""
    shutil.rmtree(_moved(folder), ignore_errors=True)


def _moved(folder: Path) -> Path:
    """Move a folder aside, if it is there; who sweeps its asides deletes it after a kill."""
    old = aside(folder, ".old")
    with told(folder), contextlib.suppress(FileNotFoundError):
        folder.rename(old)
    return old
