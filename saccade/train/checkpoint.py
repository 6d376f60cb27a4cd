"""Checkpoints of a run: written aside and renamed, the best K and the last N kept.

    checkpoints/
      index.json                which there are, oldest first, and the figures of the validated
      step-00000500/
        model.safetensors       the weights to decode with (the moving average, if there is one)
        training.safetensors    moments of the optimiser, what the objective learned for itself,
                                and the raw weights beside an average
        state.json              Progress, and the seals of all others

Of a model in shards each process writes its own files: model-00001-of-00004.safetensors. Any number
of processes reads them again, in shards or not; see shard_files.py.

A checkpoint exists once the index names it. Index and state hold seals of their own. A damaged
index is made anew, since the states say all that it says; see `recovery.py`.
"""

import dataclasses
import math
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from saccade.errors import CheckpointError
from saccade.intake.tensors import StoredTensor
from saccade.train import weights
from saccade.train.files import aside, sweep_leftovers, sync, told, write_folder, write_text
from saccade.train.holding import Room
from saccade.train.processes import ALONE, Processes
from saccade.train.progress import Progress
from saccade.train.seals import SEALS, check_seal, read_sealed_json, seal_of, sealed_json

_NAME = re.compile(r"step-\d{8,15}")
_MODEL, _TRAINING = "model", "training"
_FILE = re.compile(r"(model|training)(-(\d{5})-of-(\d{5}))?\.safetensors")
_ADVICE = (
    "Go on with --resume, which takes the newest checkpoint that is whole, or copy the run folder"
    " again."
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one checkpoint holds; `joint` if every process has but a part of the tensors."""

    model: dict[str, Tensor]
    training: dict[str, Tensor]
    progress: Progress
    joint: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """What state.json says: where the run stood, and the seals of the files beside it."""

    progress: Progress
    seals: dict[str, str]


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

    advice: ClassVar[str] = _ADVICE

    def __init__(self, run: Path, *, keep_best: int = 1, keep_last: int = 1) -> None:
        self.folder = run / "checkpoints"
        self.keep_best = keep_best
        self.keep_last = keep_last

    def save(self, snapshot: Snapshot, processes: Processes = ALONE) -> Path:
        """Write a checkpoint, then the index that knows it, then drop what is no longer kept.

        The same step saved again has the same weights, so only its progress is written anew: there
        is no moment without it. All processes ask for it. The first writes, but for tensors of
        which each has a part.
        """
        path = self.folder / f"step-{snapshot.progress.step:08d}"
        found = processes.lead(lambda: {"there": self._begun(path, snapshot.progress)})
        if not found["there"] and snapshot.joint:
            self._write_parts(path, snapshot, processes)
        elif not found["there"]:
            processes.lead(lambda: self._write_whole(path, snapshot))
        processes.lead(lambda: self.remember(snapshot.progress))
        return path

    def _begun(self, path: Path, progress: Progress) -> bool:
        """Make the place ready; say whether the checkpoint is there, which is then brought up."""
        with told(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(self.folder)
        if path.name not in self.index().names:
            return False
        write_text(path / "state.json", _plain(progress, self._state(path.name).seals))
        return True

    def _write_whole(self, path: Path, snapshot: Snapshot) -> None:
        def fill(folder: Path) -> None:
            names = [_named(kind) for kind in (_MODEL, _TRAINING)]
            for name, tensors in zip(names, (snapshot.model, snapshot.training), strict=True):
                weights.save(folder / name, tensors)
            seals = {name: seal_of(folder / name) for name in names}
            (folder / "state.json").write_text(_plain(snapshot.progress, seals), encoding="utf-8")

        write_folder(path, fill)

    def _write_parts(self, path: Path, snapshot: Snapshot, processes: Processes) -> None:
        """Let each process write what it has; the first puts the checkpoint in place."""
        from saccade.train.shard_files import write_part  # noqa: PLC0415 - takes a second

        beside = aside(path.with_name(f"{path.name}.shards"))
        folder = path.with_name(processes.lead(lambda: _made(beside))["folder"])

        def write() -> dict[str, str]:
            seals = dict[str, str]()
            for kind, tensors in ((_MODEL, snapshot.model), (_TRAINING, snapshot.training)):
                name = _named(kind, processes.rank, processes.size)
                with told(folder):
                    write_part(folder / name, tensors, processes.rank)
                    sync(folder / name)
                seals[name] = seal_of(folder / name)
            return seals

        found = processes.share(write)
        seals = {name: seal for one in found for name, seal in one.items()}

        def fill(new: Path) -> None:
            for name in seals:
                (folder / name).rename(new / name)
            folder.rmdir()
            (new / "state.json").write_text(_plain(snapshot.progress, seals), encoding="utf-8")

        processes.lead(lambda: write_folder(path, fill))

    def index(self) -> Index:
        """Read which checkpoints there are."""
        path = self.folder / "index.json"
        try:
            raw = read_sealed_json(path)
            passing, losses = list(raw.get("passing", [])), _numbers(raw.get("losses", {}))
            names = list(raw["names"])
            if not all(map(_NAME.fullmatch, names)):
                raise ValueError("a name is not that of a checkpoint")
            return Index(names, _numbers(raw["figures"]), passing, losses)
        except FileNotFoundError:
            return Index()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{path}: damaged ({error}); expected an index of checkpoints. Go on with --resume,"
                " which makes it anew, or copy the run folder again."
            ) from None

    def load(self, name: str, room: Room | None = None) -> Snapshot:
        """Read one checkpoint whole; refuse one that is not as it was written.

        Of a model in shards each process reads the part that it makes `room` for; the first has
        checked the files then.
        """
        if not room:
            self.check(name)
        model, training = (self._read(name, kind, room) for kind in (_MODEL, _TRAINING))
        return Snapshot(model, training, self.progress(name), joint=room is not None)

    def model_weights(self, name: str) -> dict[str, Tensor]:
        """Read the weights of one checkpoint; refuse those that are not as they were written."""
        self._check(name, self._files(name, _MODEL))
        return self._read(name, _MODEL, None)

    def header(self, name: str) -> dict[str, StoredTensor]:
        """Say which weights a checkpoint holds, without reading them."""
        found = dict[str, StoredTensor]()
        for file in self._files(name, _MODEL):
            for tensor, one in weights.header(self.folder / name / file).items():
                rows = found[tensor].shape[:1] if tensor in found else ()
                whole = (sum(rows) + one.shape[0], *one.shape[1:]) if one.shape else ()
                found[tensor] = StoredTensor(one.dtype, whole)
        return found

    def check(self, name: str) -> None:
        """Refuse a checkpoint of which a file is not as it was written."""
        self._check(name, [*self._files(name, _MODEL), *self._files(name, _TRAINING)])

    def _check(self, name: str, files: Sequence[str]) -> None:
        seals = self._state(name).seals
        for file in files:
            weights.header(self.folder / name / file)
            check_seal(self.folder / name / file, seals, _ADVICE)

    def _files(self, name: str, kind: str) -> list[str]:
        """List the files of a kind, as the state names them; older states name none."""
        named = sorted(file for file in self._state(name).seals if file.startswith(kind))
        return named or [_named(kind)]

    def _read(self, name: str, kind: str, room: Room | None) -> dict[str, Tensor]:
        folder, files = self.folder / name, self._files(name, kind)
        if files == [_named(kind)] and not room:
            return weights.load(folder / files[0])
        from saccade.train.shard_files import read_parts  # noqa: PLC0415 - takes a second

        return read_parts(folder, files, room or _whole, _ADVICE)

    def progress(self, name: str) -> Progress:
        """Read where the run stood at a checkpoint."""
        return self._state(name).progress

    def _state(self, name: str) -> _State:
        path = self.folder / name / "state.json"
        try:
            raw = read_sealed_json(path)
            seals = {str(file): str(one) for file, one in raw.pop(SEALS, {}).items()}
            _check_names(list(seals))
            return _State(Progress.from_plain(raw), seals)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{path}: damaged ({error}); expected the state of a run. {_ADVICE}"
            ) from None

    def found(self) -> list[str]:
        """List the folders of checkpoints, oldest first, whether an index knows them or not."""
        names = [path.name for path in self.folder.glob("step-*") if _NAME.fullmatch(path.name)]
        return sorted(names, key=step_of)

    def keep(self, names: Sequence[str]) -> None:
        """Write the index anew with these checkpoints alone, from what their states say."""
        if not names:
            return
        progress = [self.progress(name) for name in names]
        found = {n: p.last for n, p in zip(names, progress, strict=True)}
        known = {n: v for n, v in found.items() if v}
        losses = {n: v.loss for n, v in known.items() if math.isfinite(v.loss)}
        passing = [n for n, v in known.items() if not v.due]
        self._write(Index(list(names), {n: v.figure for n, v in known.items()}, passing, losses))

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
        self._write(index.trim(keep_best=self.keep_best, keep_last=self.keep_last))

    def _write(self, index: Index) -> None:
        write_text(self.folder / "index.json", sealed_json(dataclasses.asdict(index)))
        for folder in self.folder.glob("step-*"):
            if folder.name not in index.names:
                shutil.rmtree(folder, ignore_errors=True)


def _numbers(raw: Mapping[str, Any]) -> dict[str, float]:
    """Take numbers by name from what JSON holds."""
    odd = [name for name, value in raw.items() if type(value) not in (int, float)]
    if odd:
        raise ValueError(f"{odd[0][:40]!r} is no number")
    return dict(raw)


def step_of(name: str) -> int:
    """Return the step that a checkpoint was written at.

    >>> step_of("step-00000500")
    500
    """
    return int(name.removeprefix("step-"))


def _named(kind: str, rank: int = 0, size: int = 0) -> str:
    return f"{kind}-{rank + 1:05d}-of-{size:05d}.safetensors" if size else f"{kind}.safetensors"


def _check_names(files: Sequence[str]) -> None:
    """Refuse files of other names, and shards that are not all there."""
    found = [_FILE.fullmatch(file) for file in files]
    counts = {int(one[4] or 1) for one in found if one}
    if files and (None in found or len(counts) > 1 or len(files) != 2 * max(counts)):
        raise ValueError("it does not name the files of a checkpoint")


def _plain(progress: Progress, seals: Mapping[str, str]) -> str:
    return sealed_json({**progress.plain(), SEALS: seals})


def _made(folder: Path) -> dict[str, str]:
    with told(folder):
        folder.mkdir()
    return {"folder": folder.name}


def _whole(_: str, size: torch.Size, dtype: torch.dtype) -> Tensor:
    return torch.empty(size, dtype=dtype)
