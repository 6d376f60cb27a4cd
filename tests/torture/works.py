"""What is done besides training: stores, shards, means, copies, reports, fits, outputs."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import saccade
from saccade import run
from saccade.cli import app
from saccade.cli.shard_work import ShardJob, write_shard
from saccade.data.prepare import prepare
from saccade.errors import DataError
from saccade.fit.fitting import fit
from saccade.fit.outline import Outline, outline
from saccade.fit.plan import PLAN
from saccade.folders import model as folders
from saccade.folders.ensemble import ensemble
from saccade.modalities.text import TextCodec
from saccade.predict.shards import check_manifest, list_shards, sweep_locks
from saccade.train.files import sweep_leftovers
from tests.fit.small import shrunk
from tests.torture.marks import marks_of
from tests.torture.scenes import RUN, Scene, check_run, is_whole, quiet, set_home
from tests.train import small

_MODEL = "model"
_OUT = "out"
_LINES = [source for source, _ in small.pairs(0, 12)]
_UPDATES = 24  # of a candidate of `fit`


class ModelScene(Scene):
    """Work with a trained model, which is made once."""

    def furnish(self) -> None:
        """Train a small model, with three checkpoints that are kept."""
        set_home(self.desk)
        steps: dict[str, Any] = {"max_steps": 6, "validate_every": 2, "keep_last": 3}
        for name, seed in ((_MODEL, 1), ("other", 2)):
            small.run(self.desk / name, seed=seed, threads=1, **steps)


class StoreScene(Scene):
    """Encoding a corpus, chunk by chunk."""

    def work(self, place: Path) -> None:
        """Encode what is not encoded yet."""
        TextCodec.chunk = 8
        prepare(small.recipe(), place)

    def check(self, place: Path) -> None:
        """Nothing of it is used before it is whole."""


class ShardsScene(ModelScene):
    """Predicting a corpus in shards, one of them packed, one with a line that is no text."""

    def furnish(self) -> None:
        """Write the shards."""
        super().furnish()
        shards = self.desk / "shards"
        shards.mkdir()
        text = "".join(f"{line}\n" for line in _LINES)
        (shards / "a.txt").write_text(text, encoding="utf-8")
        (shards / "b.txt").write_bytes(b"12\n\xff\n34\n")
        (shards / "c.tsv").write_text(text, encoding="utf-8")
        with gzip.GzipFile(shards / "d.txt.gz", "wb", mtime=0) as packed:
            packed.write(text.encode())

    def work(self, place: Path) -> None:
        """Do what one worker does, for all shards that are left."""
        shards = list_shards(str(self.desk / "shards"), place / _OUT)
        job = ShardJob(self.desk / _MODEL, {}, engine="torch")
        check_manifest(place / _OUT, job.model, job.plain())
        sweep_locks(shards)
        waiting = [shard for shard in shards if not shard.is_done()]
        opened = job.open() if waiting else None
        for shard in waiting:
            assert opened is not None
            end = write_shard(opened, shard, job)
            if end.word != "done":
                raise DataError(f"{shard.path}: {end.word}: {'; '.join(end.problems)}")

    def check(self, place: Path) -> None:
        """Nothing may stand under its name that is not whole: `marks` compares it at the end."""

    def marks(self, place: Path) -> dict[str, str]:
        """Return the marks of the outputs."""
        return marks_of(place / _OUT)


class FolderScene(ModelScene):
    """Making a model folder out of others, at once or not at all.

    Args:
        name: of the scene.
        desk: where the other models are.
        make: makes the folder; it is given the desk and the new folder.
    """

    def __init__(self, name: str, desk: Path, make: Callable[[Path, Path], object]) -> None:
        super().__init__(name, desk)
        self._make = make

    def work(self, place: Path) -> None:
        """Make the folder, unless it is there."""
        if not is_whole(place / RUN):
            self._make(self.desk, place / RUN)

    def check(self, place: Path) -> None:
        """Open what is there."""
        check_run(place / RUN)


class ReportScene(ModelScene):
    """Writing the report of a run anew."""

    def prepare(self, place: Path) -> None:
        """Copy a run."""
        shutil.copytree(self.desk / _MODEL, place / RUN)

    def work(self, place: Path) -> None:
        """Write the report, whether there is one or not."""
        sweep_leftovers(place / RUN)
        run.report(place / RUN, root=self.desk)

    def check(self, place: Path) -> None:
        """Open the run."""
        folders.load(place / RUN)


class OutputScene(ModelScene):
    """Writing the outputs of a file into another, by the command line."""

    def furnish(self) -> None:
        """Write the inputs."""
        super().furnish()
        text = "".join(f"{line}\n" for line in _LINES)
        (self.desk / "inputs.txt").write_text(text, encoding="utf-8")

    def work(self, place: Path) -> None:
        """Translate the file."""
        files = ["-i", str(self.desk / "inputs.txt"), "-o", str(place / "outputs.txt")]
        model = str(self.desk / _MODEL)
        app(["translate", model, "--engine", "torch", *files], standalone_mode=False)

    def check(self, place: Path) -> None:
        """The outputs are whole or not there."""
        path = place / "outputs.txt"
        assert not path.exists() or len(path.read_text(encoding="utf-8").split("\n")) == 13

    def marks(self, place: Path) -> dict[str, str]:
        """Return the mark of the outputs: what a kill left aside is told by its name."""
        found = marks_of(place)
        return {name: mark for name, mark in found.items() if not name.endswith(".part")}


class FitScene(Scene):
    """A fit of two candidates, whose plan is made once: its timing is the clock's."""

    def furnish(self) -> None:
        """Write pairs, and plan."""
        words = [a + b for a in ("ba", "ke", "li", "mo", "nu") for b in ("se", "ri", "po", "du")]
        rows = "".join(f"{word}\t{' '.join(word.upper())}\n" for word in words)
        (self.desk / "words.tsv").write_text(rows, encoding="utf-8")
        set_home(self.desk)
        self._fit(self.desk / "first")

    def prepare(self, place: Path) -> None:
        """Copy the plan."""
        (place / f"{RUN}-candidates").mkdir()
        shutil.copy(self.desk / "first" / PLAN, place / f"{RUN}-candidates" / PLAN)

    def work(self, place: Path) -> None:
        """Go on with the fit, unless it has put the winner in its place."""
        if not is_whole(place / RUN):
            self._fit(place / RUN, resume=True)

    def check(self, place: Path) -> None:
        """Open the winner, or the candidates."""
        for folder in (place / RUN, *(place / f"{RUN}-candidates").glob("*/")):
            check_run(folder)

    def marks(self, place: Path) -> dict[str, str]:
        """Return the marks of the winner's weights and codecs; its limits hold the clock's time."""
        found = marks_of(place / RUN)
        return {name: mark for name, mark in found.items() if name not in ("recipe.yaml", PLAN)}

    def _fit(self, folder: Path, *, resume: bool = False) -> None:
        fit(self._made(), folder, within=3600.0, resume=resume, console=quiet())

    def _made(self) -> Outline:
        return shrunk(outline([self.desk / "words.tsv"]), _UPDATES)


class CarelessScene(Scene):
    """Writing in place, as nothing of ours may: it shows that a loss is found."""

    def work(self, place: Path) -> None:
        """Write a file in two parts, unless there is one."""
        if not (place / "file").exists():
            with (place / "file").open("w", encoding="utf-8") as file:
                for text in ("one\n", "two\n"):
                    file.write(text)
                    file.flush()

    def check(self, place: Path) -> None:
        """Nobody looks."""


def works(desk: Path) -> list[Scene]:
    """Return the scenes of everything that is no plain training."""
    return [
        StoreScene("store", desk / "store"),
        ShardsScene("predict --shards", desk / "shards"),
        OutputScene("translate -o", desk / "output"),
        FolderScene("average", desk / "average", _average),
        FolderScene("ensemble", desk / "ensemble", _ensemble),
        FolderScene("model.save", desk / "save", _save),
        ReportScene("report", desk / "report"),
        FitScene("fit", desk / "fit"),
    ]


def _average(desk: Path, target: Path) -> object:
    return run.average(desk / _MODEL, target, last=2)


def _ensemble(desk: Path, target: Path) -> object:
    return ensemble([desk / _MODEL, desk / "other"], target)


def _save(desk: Path, target: Path) -> object:
    return saccade.load(desk / _MODEL).save(target)
