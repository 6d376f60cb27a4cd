"""Checkpoints of a run: written aside and renamed, the best K and the last N kept.

    checkpoints/
      index.json                which there are, oldest first, and the figures of the validated
      step-00000500/
        model.safetensors       the weights to decode with (the moving average, if there is one)
        training.safetensors    moments of the optimiser, what the objective learned for itself,
                                and the raw weights beside an average
        state.json              Progress

A checkpoint exists once the index names it.
"""

import dataclasses
import json
import math
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from saccade.errors import CheckpointError
from saccade.train import weights
from saccade.train.files import sweep_leftovers, told, write_folder, write_text
from saccade.train.progress import Progress


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one checkpoint holds."""

    model: dict[str, Tensor]
    training: dict[str, Tensor]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Index:
    """Which checkpoints there are: names oldest first, figures of the validated, smaller is better.

    `losses` are the validation losses, which order those of equal figure. `passing` are those that
    only the end of a run made: the newest may be one, and goes when the run goes on.
    """

    names: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    passing: list[str] = field(default_factory=list)
    losses: dict[str, float] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The newest checkpoint."""
        return self.names[-1]

    @property
    def validated(self) -> list[str]:
        """Those that were validated, oldest first."""
        return [name for name in self.names if name in self.figures]

    @property
    def best(self) -> list[str]:
        """Those that were validated, best first; of equals the lower loss, then the older first."""
        return sorted(
            self.validated,
            key=lambda name: (self.figures[name], self.losses.get(name, math.inf)),
        )

    def trim(self, *, keep_best: int, keep_last: int) -> "Index":
        """Keep the newest, and of those a run that does not stop would have, last N and best K."""
        lasting = [name for name in self.validated if name not in self.passing]
        best = [name for name in self.best if name in lasting]
        kept = {self.last, *lasting[-keep_last:], *best[:keep_best]}
        return Index(
            [name for name in self.names if name in kept],
            {name: figure for name, figure in self.figures.items() if name in kept},
            [name for name in self.passing if name in kept],
            {name: loss for name, loss in self.losses.items() if name in kept},
        )


class Checkpoints:
    """The checkpoints of one run folder."""

    def __init__(self, run: Path, *, keep_best: int = 1, keep_last: int = 1) -> None:
        self.folder = run / "checkpoints"
        self.keep_best = keep_best
        self.keep_last = keep_last

    def save(self, snapshot: Snapshot) -> Path:
        """Write a checkpoint, then the index that knows it, then drop what is no longer kept.

        The same step saved again has the same weights, so only its progress is written anew: there
        is no moment without it.
        """
        with told(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(self.folder)
        path = self.folder / f"step-{snapshot.progress.step:08d}"
        state = json.dumps(snapshot.progress.plain())

        def fill(folder: Path) -> None:
            weights.save(folder / "model.safetensors", snapshot.model)
            weights.save(folder / "training.safetensors", snapshot.training)
            (folder / "state.json").write_text(state, encoding="utf-8")

        if path.name in self.index().names:
            write_text(path / "state.json", state)
        else:
            write_folder(path, fill)
        self.remember(snapshot.progress)
        return path

    def index(self) -> Index:
        """Read which checkpoints there are."""
        path = self.folder / "index.json"
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            passing, losses = list(raw.get("passing", [])), dict(raw.get("losses", {}))
            return Index(list(raw["names"]), dict(raw["figures"]), passing, losses)
        except FileNotFoundError:
            return Index()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise CheckpointError(
                f"{path}: damaged; expected an index of checkpoints. Copy the run folder again, or"
                " begin a new run."
            ) from None

    def load(self, name: str) -> Snapshot:
        """Read one checkpoint whole."""
        folder = self.folder / name
        return Snapshot(
            weights.load(folder / "model.safetensors"),
            weights.load(folder / "training.safetensors"),
            self.progress(name),
        )

    def progress(self, name: str) -> Progress:
        """Read where the run stood at a checkpoint."""
        path = self.folder / name / "state.json"
        try:
            raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return Progress.from_plain(raw)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{path}: damaged ({error}); expected the state of a run. Copy the run folder"
                " again, or begin a new run with --from this folder."
            ) from None

    def remember(self, progress: Progress) -> None:
        """Write the index with the checkpoint of `progress` as the newest, and drop the rest.

        The losses of all are in `progress`: an index of an older version has none.
        """
        name, old = f"step-{progress.step:08d}", self.index()
        names = [n for n in old.names if n != name] + [name]
        figures = {n: f for n, f in old.figures.items() if n != name}
        passing = [n for n in old.passing if n != name]
        if progress.last:
            figures[name] = progress.last.figure
            passing += [] if progress.last.due else [name]
        every = old.losses | {f"step-{v.step:08d}": v.loss for v in progress.validations}
        losses = {n: every[n] for n in figures if math.isfinite(every.get(n, math.inf))}
        index = Index(names, figures, passing, losses)
        index = index.trim(keep_best=self.keep_best, keep_last=self.keep_last)
        raw = dataclasses.asdict(index)
        write_text(self.folder / "index.json", json.dumps(raw, indent=1))
        for folder in self.folder.glob("step-*"):
            if folder.name not in index.names:
                shutil.rmtree(folder, ignore_errors=True)
