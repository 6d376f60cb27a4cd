"""Several recipes, one budget: all are trained if time allows, else the worse ones stop early.

    candidates   their runs stop at        in all, of one whole run
    1            1                         1
    2            1/4, 1                    1.25
    3            1/4, 1/2, 1               1.75

Successive halving (Jamieson & Talwalkar 2016, arXiv:1502.07943), with one recipe dropped at each
stop. A recipe that goes on is resumed, bit for bit as if it had not stopped. Where there is time
for whole runs of all candidates there is one stop, at the end: the choice is better founded, and
the time is known before, whoever wins.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from saccade.fit.candidates import VALIDATIONS, Candidate, Plain, with_updates
from saccade.learners._timing import Timing
from saccade.recipe import Recipe, Training
from saccade.train.progress import Progress

STOPS = {1: (1.0,), 2: (0.25, 1.0), 3: (0.25, 0.5, 1.0)}
WHOLE = (1.0,)  # the only stop where all are trained to their ends
COSTS = {n: sum(stops) for n, stops in STOPS.items()}
_ENOUGH = 0.7  # of the updates that the rules ask for
_FEWEST = 5 * VALIDATIONS


@dataclass(frozen=True, slots=True)
class Timed:
    """A candidate, what its updates cost, and how many of them it is given.

    around: the seconds of a start and an end of its training: reading the data, and the report.
    """

    candidate: Candidate
    timing: Timing
    updates: int
    around: float = 0.0

    def seconds(self, first: float = 0.0, last: float = 1.0) -> float:
        """How long a part of its run takes; the whole of it if not said."""
        each = self.timing
        whole = self.updates * each.seconds_per_update + VALIDATIONS * each.seconds_per_validation
        return (last - first) * whole + self.around

    @property
    def wanted(self) -> int:
        """How many updates the rules ask for."""
        return int(self.candidate.recipe["training"]["max_steps"])

    @property
    def recipe(self) -> Plain:
        """Its recipe, with as many updates as it is given."""
        return with_updates(self.candidate.recipe, self.updates)

    def given(self, seconds: float, most: float) -> "Timed":
        """Return it with updates for so many seconds, and no more than `most` times the wanted."""
        left = seconds - self.around - VALIDATIONS * self.timing.seconds_per_validation
        updates = max(left / self.timing.seconds_per_update, _FEWEST)
        return self.times(min(updates / self.wanted, most))

    def times(self, share: float) -> "Timed":
        """Return it with so many times the updates that the rules ask for."""
        updates = max(int(share * self.wanted) // VALIDATIONS, 1) * VALIDATIONS
        return dataclasses.replace(self, updates=updates)


@dataclass(frozen=True, slots=True)
class Shares:
    """Which candidates are trained, for how many updates, and where the worse ones stop."""

    timed: list[Timed]
    stops: tuple[float, ...]

    def stages(self) -> dict[str, float]:
        """Return what is trained in turn, and the seconds that each part takes.

        Who is left after a stop is not known before: the middle of the shortest and the longest.
        """
        first, alive = self.stops[0], len(self.timed)
        found = {
            stage_name(one.candidate.name, first): one.seconds(0.0, first) for one in self.timed
        }
        for before, stop in zip(self.stops, self.stops[1:], strict=False):
            alive -= 1
            each = [one.seconds(before, stop) for one in self.timed]
            found[stage_name("", stop)] = alive * (min(each) + max(each)) / 2
        return found


def stage_name(name: str, stop: float) -> str:
    """Name a part of the training; without a candidate, that of those who are left."""
    return f"training of {name or 'those left'}, to {stop:.0%}"


def share_out(found: Sequence[Timed], seconds: float, longer: float = 1.0) -> Shares:
    """Choose how many candidates to try, where they stop, and how many updates each is given.

    As many candidates as leave each of them seven tenths of the updates that it should have; the
    first alone if none do. Whole runs of all, if there is time; else halving. Updates grow with
    the time that is left.

    Args:
        found: candidates, the most promising first, with what they cost here.
        seconds: for all of them together.
        longer: how many times the updates of the rules may be made if there is time.
    """
    for n in range(min(len(found), max(STOPS)), 1, -1):
        whole = _whole(found[:n], seconds, longer)
        if whole:
            return Shares(whole, WHOLE)
        starts = sum((n - i) * one.around for i, one in enumerate(found[:n]))
        each = (seconds - starts) / COSTS[n]
        given = [one.given(each + one.around, longer) for one in found[:n]]
        if all(one.updates >= _ENOUGH * one.wanted for one in given):
            return Shares(given, STOPS[n])
    return Shares([found[0].given(seconds, longer)], WHOLE)


def _whole(found: Sequence[Timed], seconds: float, longer: float) -> list[Timed]:
    """Give all of them whole runs, as long as the time allows; none if it does not."""
    fixed = sum(one.times(0.0).seconds() for one in found)
    moving = sum(one.wanted * one.timing.seconds_per_update for one in found)
    share = min((seconds - fixed) / moving, longer)
    return [one.times(share) for one in found] if share >= 1 else []


@dataclass(frozen=True, slots=True)
class Standing:
    """How a candidate did so far; smaller is better, the loss decides between equals."""

    name: str
    figure: float
    loss: float
    figures: dict[str, float]

    @classmethod
    def of(cls, name: str, progress: Progress) -> "Standing":
        """Read it off the best validation of a run."""
        best = progress.best
        assert best is not None, "a run that stopped was validated"
        return cls(name, best.figure, best.figures.get("loss", 0.0), dict(best.figures))

    @property
    def rank(self) -> tuple[float, float]:
        """What candidates are ordered by."""
        return self.figure, self.loss


Train = Callable[[str, Recipe, float], Progress]  # trains a candidate up to a stop


def halve(
    recipes: dict[str, Recipe], stops: Sequence[float], train: Train, tell: Callable[[str], None]
) -> list[Standing]:
    """Train candidates in turn, dropping the worst at every stop; return all, the best first.

    Args:
        recipes: by the name of the candidate, each for a whole run.
        stops: shares of a run; the last is 1, where nobody is dropped.
        train: trains or resumes one up to its recipe's max_steps, which is the stop.
        tell: where to say who goes on.
    """
    alive, out = list(recipes), list[Standing]()
    standings: list[Standing] = []
    for stop in stops:
        standings = sorted(
            (Standing.of(name, train(name, _until(recipes[name], stop), stop)) for name in alive),
            key=lambda one: one.rank,
        )
        if stop < 1:
            worst = standings.pop()
            out.insert(0, worst)
            alive = [name for name in alive if name != worst.name]
            said = ", ".join(f"{one.name} {_shown(one)}" for one in [*standings, worst])
            tell(f"After {stop:.0%} of the updates: {said}. {worst.name} stops here.")
    return [*standings, *out]


def _until(recipe: Recipe, stop: float) -> Recipe:
    training: Training = recipe.training
    steps = training.max_steps if stop == 1 else round(stop * VALIDATIONS) * training.validate_every
    return dataclasses.replace(recipe, training=dataclasses.replace(training, max_steps=steps))


def _shown(one: Standing) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in one.figures.items())
