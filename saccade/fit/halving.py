"""Several recipes, one budget: all begin, and the worse ones stop early.

    candidates   their runs stop at        in all, of one whole run
    1            1                         1
    2            1/4, 1                    1.25
    3            1/4, 1/2, 1               1.75

Successive halving (Jamieson & Talwalkar 2016, arXiv:1502.07943), with one recipe dropped at each
stop. A recipe that goes on is resumed, bit for bit as if it had not stopped.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from saccade.fit.candidates import VALIDATIONS, Candidate, Plain, with_updates
from saccade.learners.timing import Timing
from saccade.recipe import Recipe, Training
from saccade.train.progress import Progress

STOPS = {1: (1.0,), 2: (0.25, 1.0), 3: (0.25, 0.5, 1.0)}
COSTS = {n: sum(stops) for n, stops in STOPS.items()}
_ENOUGH = 0.7  # of the updates that the rules ask for
_FEWEST = 5 * VALIDATIONS


@dataclass(frozen=True, slots=True)
class Timed:
    """A candidate, what its updates cost, and how many of them it is given."""

    candidate: Candidate
    timing: Timing
    updates: int

    @property
    def seconds(self) -> float:
        """How long a whole run takes."""
        each = self.timing
        return self.updates * each.seconds_per_update + VALIDATIONS * each.seconds_per_validation

    @property
    def recipe(self) -> Plain:
        """Its recipe, with as many updates as it is given."""
        return with_updates(self.candidate.recipe, self.updates)


def share_out(found: Sequence[tuple[Candidate, Timing]], seconds: float) -> list[Timed]:
    """Choose how many candidates to try, and how many updates each is given.

    As many candidates as leave each of them seven tenths of the updates that it should have; the
    first alone if none do.

    Args:
        found: candidates, the most promising first, with what they cost here.
        seconds: for all of them together.
    """
    most = min(len(found), max(STOPS))
    for n in range(most, 0, -1):
        timed = [_given(one, timing, seconds / COSTS[n]) for one, timing in found[:n]]
        wanted = [one.candidate.recipe["training"]["max_steps"] for one in timed]
        if n == 1 or all(t.updates >= _ENOUGH * w for t, w in zip(timed, wanted, strict=True)):
            return timed
    raise AssertionError("there is at least one candidate")


def _given(candidate: Candidate, timing: Timing, seconds: float) -> Timed:
    wanted = candidate.recipe["training"]["max_steps"]
    left = seconds - VALIDATIONS * timing.seconds_per_validation
    updates = int(min(wanted, max(left / timing.seconds_per_update, _FEWEST)))
    return Timed(candidate, timing, max(updates // VALIDATIONS, 1) * VALIDATIONS)


def promised(timed: Sequence[Timed]) -> float:
    """Return how long all of it takes: whole runs of like length, but for the stops."""
    stops = STOPS[len(timed)]
    ordered = sorted((one.seconds for one in timed), reverse=True)
    return sum(stop * seconds for stop, seconds in zip(reversed(stops), ordered, strict=True))


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


Train = Callable[[str, Recipe], Progress]  # trains a candidate up to its recipe's max_steps


def halve(recipes: dict[str, Recipe], train: Train, tell: Callable[[str], None]) -> list[Standing]:
    """Train candidates in turn, dropping the worst at every stop; return all, the best first.

    Args:
        recipes: by the name of the candidate, each for a whole run.
        train: trains or resumes one.
        tell: where to say who goes on.
    """
    alive, out = list(recipes), list[Standing]()
    standings: list[Standing] = []
    for stop in STOPS[len(recipes)]:
        standings = sorted(
            (
                Standing.of(name, train(name, _until(recipes[name], stop, last=len(alive) == 1)))
                for name in alive
            ),
            key=lambda one: one.rank,
        )
        if len(alive) > 1:
            worst = standings.pop()
            out.insert(0, worst)
            alive = [name for name in alive if name != worst.name]
            said = ", ".join(f"{one.name} {_shown(one)}" for one in [*standings, worst])
            tell(f"After {stop:.0%} of the updates: {said}. {worst.name} stops here.")
    return [*standings, *out]


def _until(recipe: Recipe, stop: float, *, last: bool) -> Recipe:
    training: Training = recipe.training
    steps = training.max_steps if last else round(stop * VALIDATIONS) * training.validate_every
    return dataclasses.replace(recipe, training=dataclasses.replace(training, max_steps=steps))


def _shown(one: Standing) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in one.figures.items())
