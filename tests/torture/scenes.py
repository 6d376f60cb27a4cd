"""What is done while faults happen: a piece of work, how it goes on, and what must come of it."""

import io
import json
import os
import shutil
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import yaml
from rich.console import Console

from saccade import recipe as recipes
from saccade.folders import model as folders
from saccade.recipe import Recipe
from saccade.run import train
from saccade.train.checkpoint import Checkpoints
from tests.docs.miniature import copy_recipe
from tests.torture.marks import marks_of

ROOT = Path(__file__).parents[2]
HOME = "home"  # stored ids
RUN = "run"
_STEPS = 4


class Scene(ABC):
    """A piece of work in a folder that can be done again until it is done.

    Args:
        name: what it is called.
        desk: a folder of its own, for what is made once.
    """

    imports: ClassVar[tuple[str, ...]] = ("torch._dynamo",)  # optimisers do, at their first step

    def __init__(self, name: str, desk: Path) -> None:
        self.name, self.desk = name, desk

    def furnish(self) -> None:  # noqa: B027 - most need nothing
        """Make what every trial begins with, once."""

    def prepare(self, place: Path) -> None:  # noqa: B027
        """Lay out what one trial begins with."""

    @abstractmethod
    def work(self, place: Path) -> None:
        """Do the work, or go on with it, as a user would who types the command again."""

    @abstractmethod
    def check(self, place: Path) -> None:
        """Refuse a folder that a fault left unusable."""

    def marks(self, place: Path) -> dict[str, str]:
        """Return what must be the same at the end, whatever happened."""
        return marks_of(place)


def is_whole(run: Path) -> bool:
    """Tell whether a run came to its first checkpoint."""
    path = run / "saccade.json"
    return path.exists() and "begun" not in json.loads(path.read_text(encoding="utf-8"))


def quiet() -> Console:
    """Return a console that nobody reads."""
    return Console(file=io.StringIO())


def check_run(run: Path) -> None:
    """Refuse a run whose newest checkpoint or model cannot be opened."""
    if not is_whole(run):
        return
    if (run / "checkpoints").exists():
        checkpoints = Checkpoints(run)
        for name in checkpoints.index().names:
            checkpoints.load(name)
    folders.load(run)


class TrainingScene(Scene):
    """A run from nothing to its report, gone on with by --resume."""

    @abstractmethod
    def recipe(self) -> Recipe:
        """Return what to train."""

    def work(self, place: Path) -> None:
        """Train, or resume."""
        run = place / RUN
        train(self.recipe(), run, resume=is_whole(run), root=self.desk, console=quiet())

    def check(self, place: Path) -> None:
        """Open what is there."""
        check_run(place / RUN)


class PlainTraining(TrainingScene):
    """A run of a recipe that stands in the code.

    Args:
        name: of the scene.
        desk: not used.
        plan: the recipe.
    """

    def __init__(self, name: str, desk: Path, plan: Recipe) -> None:
        super().__init__(name, desk)
        self._plan = plan

    def recipe(self) -> Recipe:
        """Return the recipe."""
        return self._plan


class ShippedTraining(TrainingScene):
    """A run of a small copy of a shipped recipe.

    Args:
        path: of the recipe, relative to the repository.
        desk: where its copy and its data are written.
    """

    def __init__(self, path: Path, desk: Path) -> None:
        super().__init__(str(path.with_suffix("")).removeprefix("recipes/"), desk)
        self._path = path

    def furnish(self) -> None:
        """Write the copy and its data."""
        copy_recipe(self._path, self.desk)

    def recipe(self) -> Recipe:
        """Read the copy, with a few steps and a validation behind every second."""
        read = recipes.load(self.desk / self._path)
        steps = {"max_steps": _STEPS, "max_epochs": 0, "validate_every": 2, "report_every": 1}
        kept = {"keep_last": 2, "keep_best": 1, "average": 0, "threads": 1, "patience": 0}
        return replace(read, training=replace(read.training, **steps, **kept))  # type: ignore[arg-type]


def shipped(desk: Path) -> list[ShippedTraining]:
    """Return a scene for every combination of model, ends and objective that recipes ship."""
    found: dict[tuple[str, ...], Path] = {}
    for path in sorted((ROOT / "recipes").glob("*/*.yaml")):
        found.setdefault(_family(path), path.relative_to(ROOT))
    return [ShippedTraining(path, desk / path.parent.name / path.stem) for path in found.values()]


def _family(path: Path) -> tuple[str, ...]:
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    model, data, training = raw["model"], raw["data"], raw.get("training") or {}
    inner = [_kind(model, part) for part in ("encoder", "decoder")] if model else []
    sides = [_kind(data, side) for side in ("source", "target")]
    own = model["kind"] if isinstance(model, dict) else model
    return (own, *inner, _kind(training, "objective"), *sides)


def _kind(raw: Any, key: str) -> str:
    value = raw.get(key, "") if isinstance(raw, dict) else ""
    return str(value.get("kind", "") if isinstance(value, dict) else value)


def set_home(place: Path) -> None:
    """Store ids below the folder of a trial."""
    os.environ["SACCADE_HOME"] = str(place / HOME)


def copied(source: Path, target: Path) -> None:
    """Copy a folder."""
    shutil.copytree(source, target)
