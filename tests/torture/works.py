"""What is done besides training: stores, shards, means, copies, reports, fits, outputs."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import saccade
from saccade import run
from saccade.cli import app
from saccade.cli.shard_work import ShardJob, write_shard
from saccade.data.prepare import prepare
from saccade.errors import DataError
from saccade.export.base import export, is_export, read_export
from saccade.folders import model as folders
from saccade.folders.ensemble import ensemble
from saccade.folders.imported import import_arpa
from saccade.folders.reconfigured import reconfigure
from saccade.modalities.text import TextCodec
from saccade.predict.shards import check_manifest, list_shards, sweep_locks
from tests.torture.attempts import (
    CompareScene,
    FitScene,
    NewFitScene,
    NewRunScene,
    StreamScene,
)
from tests.torture.marks import marks_of
from tests.torture.model_scene import ARPA, INPUTS, LINES, MODEL, OTHER, SHARDS, ModelScene
from tests.torture.scenes import RUN, Scene, check_run, is_whole
from tests.train import small

_OUT = "out"


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

    def work(self, place: Path) -> None:
        """Do what one worker does, for all shards that are left."""
        shards = list_shards(str(self.desk / SHARDS), place / _OUT)
        job = ShardJob(self.desk / MODEL, {}, engine="torch")
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
        shutil.copytree(self.desk / MODEL, place / RUN)

    def work(self, place: Path) -> None:
        """Write the report, whether there is one or not."""
        run.report(place / RUN, root=self.desk)

    def check(self, place: Path) -> None:
        """Open the run."""
        folders.load(place / RUN)


class OutputScene(ModelScene):
    """Writing the outputs of a file into another, by the command line."""

    def work(self, place: Path) -> None:
        """Translate the file."""
        files = ["-i", str(self.desk / INPUTS), "-o", str(place / "outputs.txt")]
        model = str(self.desk / MODEL)
        app(["translate", model, "--engine", "torch", *files], standalone_mode=False)

    def check(self, place: Path) -> None:
        """The outputs are whole or not there."""
        path = place / "outputs.txt"
        assert (
            not path.exists() or len(path.read_text(encoding="utf-8").split("\n")) == len(LINES) + 1
        )


class ExportScene(ModelScene):
    """Writing a model for another engine, where an older export stands."""

    def prepare(self, place: Path) -> None:
        """Make a place for the export."""
        (place / _OUT).mkdir()

    def work(self, place: Path) -> None:
        """Export; the same command again replaces what is there."""
        export("arpa", self._imported(place), place / _OUT)

    def check(self, place: Path) -> None:
        """An export that is there is whole."""
        if is_export(place / _OUT):
            read_export(place / _OUT)
            assert (place / _OUT / "model.arpa").read_text("utf-8").endswith("\\end\\\n")

    def _imported(self, place: Path) -> Path:
        """Import the table that is to be exported, unless it has been."""
        if not is_whole(place / RUN):
            import_arpa(self.desk / ARPA, place / RUN)
        return place / RUN


class CarelessScene(Scene):
    """Writing in place, as nothing of ours may: it shows that a loss is found."""

    imports: ClassVar[tuple[str, ...]] = ()

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
    models = desk / "with-models"
    return [
        StoreScene("store", desk / "store"),
        ShardsScene("predict --shards", models),
        OutputScene("translate -o", models),
        FolderScene("average", models, _average),
        FolderScene("ensemble", models, _ensemble),
        FolderScene("reconfigure", models, _reconfigure),
        FolderScene("model.save", models, _save),
        FolderScene("import", models, _import_arpa),
        ExportScene("export", models),
        ReportScene("report", models),
        NewRunScene("train --overwrite", models),
        StreamScene("train on a stream", desk / "stream"),
        CompareScene("compare", desk / "compare"),
        FitScene("fit", desk / "fit"),
        NewFitScene("fit --overwrite", desk / "new-fit"),
    ]


def _average(desk: Path, target: Path) -> object:
    return run.average(desk / MODEL, target, last=2)


def _reconfigure(desk: Path, target: Path) -> object:
    return reconfigure(desk / MODEL, target, ["decoding.search=beam"])


def _import_arpa(desk: Path, target: Path) -> object:
    return import_arpa(desk / ARPA, target)


def _ensemble(desk: Path, target: Path) -> object:
    return ensemble([desk / MODEL, desk / OTHER], target)


def _save(desk: Path, target: Path) -> object:
    return saccade.load(desk / MODEL).save(target)
