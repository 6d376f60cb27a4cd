"""The plan of a `fit`, kept in fit.json: what is trained, and what each stage promised and took."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from saccade.errors import CheckpointError
from saccade.fit.candidates import Candidate
from saccade.fit.halving import Shares, Timed
from saccade.fit.outline import Outline
from saccade.learners._timing import Timing
from saccade.train.files import write_text

PLAN = "fit.json"
TIMING, EVALUATION = "timing", "evaluation"  # stages, besides those of `Shares.stages`


@dataclass(slots=True)
class FitPlan:
    """What is trained, and how long every stage should take and took, in seconds.

    taken: of the stages that have begun; what was interrupted and resumed is added up.
    times_smaller: how often the sizes of the rules were made smaller because of the time.
    """

    shares: Shares
    promised: dict[str, float]
    taken: dict[str, float] = field(default_factory=dict)
    times_smaller: int = 0

    @property
    def seconds(self) -> float:
        """How long all of it was promised to take."""
        return sum(self.promised.values())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a `with` to a stage."""
        begun = monotonic()
        try:
            yield
        finally:
            self.taken[name] = self.taken.get(name, 0.0) + monotonic() - begun

    def plain(self, made: Outline) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "task": made.job.name,
            "why": made.why,
            "pairs": made.counts,
            "promised": self.seconds,
            "stages": [
                {"stage": name, "promised": seconds, "taken": self.taken.get(name)}
                for name, seconds in self.promised.items()
            ],
            "times_smaller": self.times_smaller,
            "stops": list(self.shares.stops),
            "candidates": [
                {
                    "name": one.candidate.name,
                    "why": one.candidate.why,
                    "updates": one.updates,
                    "seconds_per_update": one.timing.seconds_per_update,
                    "seconds_per_validation": one.timing.seconds_per_validation,
                    "seconds_around": one.around,
                    "recipe": one.recipe,
                }
                for one in self.shares.timed
            ],
        }

    def write(self, folder: Path, made: Outline, **facts: Any) -> None:
        """Write it into a folder, with more facts if there are some."""
        write_text(folder / PLAN, json.dumps({**self.plain(made), **facts}, indent=1))


def read_plan(beside: Path) -> FitPlan:
    """Read what an interrupted `fit` had chosen, and how far it got."""
    try:
        plan = json.loads((beside / PLAN).read_text(encoding="utf-8"))
        timed = [
            Timed(
                Candidate(str(one["name"]), one["recipe"], str(one["why"])),
                Timing(one["seconds_per_update"], one["seconds_per_validation"]),
                int(one["updates"]),
                float(one["seconds_around"]),
            )
            for one in plan["candidates"]
        ]
        shares = Shares(timed, tuple(float(stop) for stop in plan["stops"]))
        promised = {str(one["stage"]): float(one["promised"]) for one in plan["stages"]}
        taken = {
            str(one["stage"]): float(one["taken"])
            for one in plan["stages"]
            if one["taken"] is not None
        }
        times_smaller = int(plan["times_smaller"])
    except (OSError, ValueError, KeyError, TypeError):
        raise CheckpointError(
            f"{beside}: holds no plan to resume; expected {PLAN} of an interrupted fit. Leave out"
            " --resume."
        ) from None
    return FitPlan(shares, promised, taken, times_smaller)
