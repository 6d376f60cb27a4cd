"""Trainings besides plain ones: in place of an older run, from a stream, compared, and fitted."""

import json
import shutil
from pathlib import Path

from saccade.experiments import comparison
from saccade.fit import fitting
from saccade.fit.outline import Outline, outline
from saccade.fit.plan import PLAN
from saccade.recipe import Recipe
from saccade.run import train
from tests.fit.small import shrunk
from tests.torture.marks import marks_of
from tests.torture.model_scene import MODEL, ModelScene
from tests.torture.scenes import RUN, Scene, TrainingScene, check_run, is_whole, quiet, set_home
from tests.train import small

_STEPS = {"max_steps": 4, "validate_every": 2, "threads": 1}
_UPDATES = 24  # of a candidate of `fit`
_CLOCKED = ("recipe.yaml", PLAN)  # of candidates: their limits hold seconds


class NewRunScene(ModelScene):
    """A run with --overwrite where an older one stands."""

    def prepare(self, place: Path) -> None:
        """Copy the older run."""
        shutil.copytree(self.desk / MODEL, place / RUN)

    def work(self, place: Path) -> None:
        """Begin anew until the new run has a checkpoint, and go on with it then."""
        run, new = place / RUN, small.recipe(name="new", **_STEPS)
        begun = is_whole(run) and _facts(run)["name"] == "new"
        train(new, run, resume=begun, overwrite=not begun, console=quiet())

    def check(self, place: Path) -> None:
        """Open what is there, the old or the new."""
        check_run(place / RUN)


class StreamScene(TrainingScene):
    """A run whose corpus is never encoded as a whole."""

    def furnish(self) -> None:
        """Write two files of pairs."""
        for n in range(2):
            rows = "".join(f"{a}\t{b}\n" for a, b in small.pairs(20 * n, 20 * n + 20))
            (self.desk / f"{n}.tsv").write_text(rows, encoding="utf-8")

    def recipe(self) -> Recipe:
        """Return a recipe that reads them as a stream."""
        corpus = {"kind": "shards", "paths": [str(self.desk / "*.tsv")]}
        characters = {"tokenizer": "character"}
        data = {
            "train": {"kind": "streamed", "corpus": corpus, "buffer": 16, "sample": 40},
            "valid": {"kind": "pairs", "pairs": small.pairs(100, 104)},
            "source": characters,
            "target": characters,
        }
        return small.recipe(data=data, **_STEPS)


class CompareScene(Scene):
    """Two runs that are compared: the same command goes on where it was."""

    def work(self, place: Path) -> None:
        """Train both, or what is left of it."""
        recipes = [small.recipe(name=name, **_STEPS) for name in ("one", "two")]
        chosen = [comparison.Variant(one.name, one) for one in recipes]
        comparison.train_all(chosen, place / RUN, [1], root=self.desk, console=quiet())

    def check(self, place: Path) -> None:
        """Open what is there."""
        for folder in (place / RUN).glob("*/"):
            check_run(folder)


class FitScene(Scene):
    """A fit of two candidates: begun, resumed once it has a plan, until the winner is in place."""

    def furnish(self) -> None:
        """Write pairs."""
        words = [a + b for a in ("ba", "ke", "li", "mo", "nu") for b in ("se", "ri", "po", "du")]
        rows = "".join(f"{word}\t{' '.join(word.upper())}\n" for word in words)
        (self.desk / "words.tsv").write_text(rows, encoding="utf-8")

    def work(self, place: Path) -> None:
        """Fit, or go on with it, unless it has put the winner in its place."""
        if not is_whole(place / RUN):
            self.fit(place / RUN, resume=(place / f"{RUN}-candidates" / PLAN).exists())

    def check(self, place: Path) -> None:
        """Open the winner, and the candidates."""
        for folder in (place / RUN, *(place / f"{RUN}-candidates").glob("*/")):
            check_run(folder)

    def marks(self, place: Path) -> dict[str, str]:
        """Return the marks of all that does not hold the clock's time."""
        found = marks_of(place)
        return {name: mark for name, mark in found.items() if Path(name).name not in _CLOCKED}

    def fit(self, folder: Path, *, resume: bool = False, overwrite: bool = False) -> None:
        """Fit both candidates, and take little time to time them."""
        fitting._UPDATES = 4
        fitting.fit(
            self._made(),
            folder,
            within=3600.0,
            resume=resume,
            overwrite=overwrite,
            console=quiet(),
        )

    def _made(self) -> Outline:
        return shrunk(outline([self.desk / "words.tsv"]), _UPDATES)


class NewFitScene(FitScene):
    """A fit with --overwrite where an older one stands; the same command again begins anew."""

    def furnish(self) -> None:
        """Fit once."""
        super().furnish()
        set_home(self.desk)
        self.fit(self.desk / RUN)

    def prepare(self, place: Path) -> None:
        """Copy the older fit."""
        for name in (RUN, f"{RUN}-candidates"):
            shutil.copytree(self.desk / name, place / name)

    def work(self, place: Path) -> None:
        """Fit again."""
        self.fit(place / RUN, overwrite=True)


def _facts(run: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((run / "saccade.json").read_text(encoding="utf-8"))
    return found
