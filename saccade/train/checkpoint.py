"""Checkpoints of a run: written aside and renamed, the best K and the last N kept.

    checkpoints/
      index.json                  which is last, which are best, best first
      step-00000500/
        model.safetensors         the weights to decode with (the moving average, if there is one)
        training.safetensors      moments of the optimiser, and the raw weights beside an average
        state.json                Progress
"""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from saccade.errors import CheckpointError
from saccade.train import weights
from saccade.train.files import sweep_leftovers, write_folder, write_text
from saccade.train.progress import Progress


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one checkpoint holds."""

    model: dict[str, Tensor]
    training: dict[str, Tensor]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Index:
    """Which checkpoints there are: their names oldest first, and the figures of the validated."""

    names: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The newest checkpoint."""
        return self.names[-1]

    @property
    def best(self) -> list[str]:
        """Validated checkpoints, best first; the older of equals first."""
        return sorted((n for n in self.names if n in self.figures), key=lambda n: self.figures[n])


class Checkpoints:
    """The checkpoints of one run folder."""

    def __init__(self, run: Path, *, keep_best: int = 1, keep_last: int = 1) -> None:
        self.folder = run / "checkpoints"
        self.keep_best = keep_best
        self.keep_last = keep_last

    def save(self, snapshot: Snapshot) -> Path:
        """Write a checkpoint, then the index that knows it, then drop what is no longer kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(self.folder)
        progress = snapshot.progress
        path = self.folder / f"step-{progress.step:08d}"

        def fill(folder: Path) -> None:
            weights.save(folder / "model.safetensors", snapshot.model)
            weights.save(folder / "training.safetensors", snapshot.training)
            (folder / "state.json").write_text(json.dumps(progress.plain()), encoding="utf-8")

        write_folder(path, fill)
        self._remember(path.name, progress)
        return path

    def index(self) -> Index:
        """Read which checkpoints there are."""
        path = self.folder / "index.json"
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return Index(raw["names"], raw["figures"])
        except FileNotFoundError:
            return Index()
        except (ValueError, KeyError, TypeError):
            raise CheckpointError(f"{path}: not an index of checkpoints; it was damaged.") from None

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
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(f"{path}: not the state of a run ({error}).") from None

    def _remember(self, name: str, progress: Progress) -> None:
        index = self.index()
        names = [n for n in index.names if n != name] + [name]
        figures = dict(index.figures)
        if progress.validations and progress.validations[-1].step == progress.step:
            figures[name] = progress.validations[-1].figure
        index = Index(names, figures)
        kept = {*index.names[-self.keep_last :], *index.best[: self.keep_best]}
        names = [n for n in index.names if n in kept]
        raw = {"names": names, "figures": {n: f for n, f in figures.items() if n in kept}}
        write_text(self.folder / "index.json", json.dumps(raw, indent=1))
        for folder in self.folder.glob("step-*"):
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)
