"""A run whose checkpoints were damaged goes on from one that is whole, and ends as if they were."""

import json
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest

from saccade.errors import CheckpointError
from saccade.folders import model as folders
from saccade.run import average, train
from saccade.train.checkpoint import Checkpoints
from saccade.train.recovery import recover
from saccade.train.seals import seal_of
from tests.train import small

OPTIONS: dict[str, Any] = {"validate_every": 3, "keep_last": 3, "keep_best": 1, "ema": 0.9}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(root / "home"))
        small.run(root / "parts", **OPTIONS, max_steps=12)
        small.run(root / "whole", **OPTIONS, max_steps=15)
    return root


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(copytree(made / "parts", tmp_path / "run"))


def flip(path: Path, place: float = 0.7) -> None:
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 4
    path.write_bytes(data)


def checkpoint(run: Path, step: int) -> Path:
    return run / "checkpoints" / f"step-{step:08d}"


@pytest.mark.parametrize(
    ("name", "place"),
    [("model.safetensors", 0.7), ("training.safetensors", 0.02), ("state.json", 0.5)],
)
def test_a_flipped_bit_costs_no_more_than_steps(
    run: Path, made: Path, name: str, place: float
) -> None:
    flip(checkpoint(run, 12) / name, place)
    small.run(run, resume=True, **OPTIONS, max_steps=15)
    small.assert_same(made / "whole", run)
    log = (run / "train.log").read_text(encoding="utf-8")
    assert f"{checkpoint(run, 12) / name}: " in log
    assert "Going back to the checkpoint of step 9, which is whole." in log
    assert "Those of step 12 are left; their steps come again." in log
    assert "Going on from step 9." in log


def test_the_file_is_named_with_what_was_expected_and_found(run: Path) -> None:
    path = checkpoint(run, 12) / "model.safetensors"
    expected = seal_of(path)
    flip(path)
    message = (
        f"{path}: damaged or changed: its SHA-256 is {seal_of(path)}; expected {expected}, which"
        " was written. Go on with --resume, which takes the newest checkpoint that is whole, or"
        " copy the run folder again."
    )
    with pytest.raises(CheckpointError) as caught:
        Checkpoints(run).load("step-00000012")
    assert str(caught.value) == message
    (run / "model.safetensors").unlink()
    with pytest.raises(CheckpointError) as caught:  # the same when it is opened or averaged
        average(run, run.parent / "mean", last=1)
    assert str(caught.value) == message
    assert not (run.parent / "mean").exists()


def test_one_before_the_last_is_made_again_too(run: Path, made: Path) -> None:
    flip(checkpoint(run, 9) / "model.safetensors")
    small.run(run, resume=True, **OPTIONS, max_steps=15)
    small.assert_same(made / "whole", run)
    log = (run / "train.log").read_text(encoding="utf-8")
    assert "Those of step 9, 12 are left; their steps come again." in log


def test_where_none_came_before_a_later_one_is_taken_and_the_loss_is_told(run: Path) -> None:
    flip(checkpoint(run, 6) / "training.safetensors")
    found = recover(Checkpoints(run))
    assert found.name == "step-00000012"
    assert (
        "Those of step 6 are lost: if one was the best, the model at the end is another"
        in (found.told[-1])
    )
    assert Checkpoints(run).index().names == ["step-00000009", "step-00000012"]


@pytest.mark.parametrize("place", [0.02, 0.5])
def test_a_damaged_index_is_made_anew(run: Path, made: Path, place: float) -> None:
    flip(run / "checkpoints" / "index.json", place)
    small.run(run, resume=True, **OPTIONS, max_steps=15)
    small.assert_same(made / "whole", run)
    log = (run / "train.log").read_text(encoding="utf-8")
    assert "index.json: damaged (" in log
    assert "It is made anew from the 3 checkpoints that are there." in log


def test_all_are_damaged(run: Path) -> None:
    for step in (6, 9, 12):
        flip(checkpoint(run, step) / "model.safetensors")
    with pytest.raises(CheckpointError) as caught:
        small.run(run, resume=True, **OPTIONS, max_steps=15)
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert lines[-1] == (
        f"{run / 'checkpoints'}: no checkpoint is whole; expected one to go on from. Copy the run"
        " folder again, or begin a new run; training.keep_last: 2 keeps one more."
    )


def test_a_step_to_resume_from(run: Path, made: Path) -> None:
    recipe = small.recipe(**OPTIONS, max_steps=15)
    train(recipe, run, resume=True, resume_from=6, console=small.quiet())
    small.assert_same(made / "whole", run)
    assert "Those of step 9, 12 are left" in (run / "train.log").read_text(encoding="utf-8")


def test_a_step_that_cannot_be_resumed_from(run: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        recover(Checkpoints(run), 7)
    assert str(caught.value) == (
        f"{run / 'checkpoints'}: no checkpoint of step 7. --resume-from 7 cannot go on from it;"
        " expected one of those that are whole: 6, 9, 12."
    )
    flip(checkpoint(run, 9) / "model.safetensors")
    with pytest.raises(CheckpointError) as caught:
        recover(Checkpoints(run), 9)
    assert "damaged or changed: its SHA-256 is" in str(caught.value)
    assert str(caught.value).endswith("expected one of those that are whole: 6, 12.")
    assert Checkpoints(run).index().names == [f"step-{n:08d}" for n in (6, 9, 12)]


def test_a_checkpoint_of_a_version_that_sealed_nothing_is_resumed(run: Path, made: Path) -> None:
    for step in (6, 9, 12):
        path = checkpoint(run, step) / "state.json"
        progress = Checkpoints(run).progress(f"step-{step:08d}")
        path.write_text(json.dumps(progress.plain()), encoding="utf-8")
    small.run(run, resume=True, **OPTIONS, max_steps=15)
    small.assert_same(made / "whole", run)


def test_a_name_that_leads_elsewhere_is_refused(run: Path) -> None:
    path = run / "checkpoints" / "index.json"
    path.write_text('{"names": ["../../other"], "figures": {}}', encoding="utf-8")
    with pytest.raises(CheckpointError, match="a name is not that of a checkpoint"):
        Checkpoints(run).index()


@pytest.mark.parametrize("name", ["model.safetensors", "source.json", "target.json"])
def test_a_flipped_bit_in_a_model_folder_is_found(run: Path, name: str) -> None:
    rmtree(run / "checkpoints")
    expected = seal_of(run / name)
    flip(run / name)
    with pytest.raises(CheckpointError) as caught:
        folders.load(run)
    assert str(caught.value) == (
        f"{run / name}: damaged or changed: its SHA-256 is {seal_of(run / name)}; expected"
        f" {expected}, which was written. Copy the model folder again; if the file was changed on"
        " purpose, delete its line in saccade.json."
    )


def test_what_people_write_is_not_sealed(run: Path) -> None:
    before = folders.load(run).translate("12").text
    for name in ("README.md", "report.html", "train.log"):
        (run / name).write_text("mine", encoding="utf-8")
    recipe = (run / "recipe.yaml").read_text(encoding="utf-8")
    (run / "recipe.yaml").write_text(f"# mine\n{recipe}", encoding="utf-8")
    assert folders.load(run).translate("12").text == before
