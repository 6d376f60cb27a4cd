import json
from pathlib import Path

import pytest
import torch

from saccade.errors import CheckpointError
from saccade.train.checkpoint import Checkpoints, Index, Snapshot
from saccade.train.progress import Progress, Validation


def snapshot(step: int, figure: float | None = None, *, due: bool = True) -> Snapshot:
    validations = [] if figure is None else [Validation(step, figure, {"loss": figure}, due)]
    tensors = {"w": torch.full((2,), float(step))}
    return Snapshot(tensors, tensors, Progress(step=step, validations=validations))


def names(checkpoints: Checkpoints) -> list[int]:
    folders = sorted(path.name for path in checkpoints.folder.glob("step-*"))
    assert folders == checkpoints.index().names
    return [int(name.removeprefix("step-")) for name in folders]


def test_best_and_last_are_kept(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep_best=2, keep_last=2)
    for step, figure in enumerate([3.0, 1.0, 2.0, 5.0, 6.0, 4.0], start=1):
        checkpoints.save(snapshot(step, figure))
    assert names(checkpoints) == [2, 3, 5, 6]
    assert [int(name[-1]) for name in checkpoints.index().best] == [2, 3, 6, 5]


def test_the_older_of_equals_is_the_better(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2, 3):
        checkpoints.save(snapshot(step, 1.0))
    assert names(checkpoints) == [1, 3]


def test_of_equal_figures_the_lower_loss_is_the_better(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep_best=2)
    validations: list[Validation] = []
    for step, loss in enumerate([3.0, 1.0, 2.0, 1.0, 4.0], start=1):
        validations.append(Validation(step, 100.0, {"loss": loss}))
        tensors = {"w": torch.zeros(1)}
        checkpoints.save(Snapshot(tensors, tensors, Progress(step=step, validations=validations)))
    assert names(checkpoints) == [2, 4, 5]
    assert [int(name[-1]) for name in checkpoints.index().best] == [2, 4, 5]


def test_an_index_of_an_older_version_gets_its_losses_from_the_progress(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep_last=3)
    tensors = {"w": torch.zeros(1)}
    found = [Validation(1, 100.0, {"loss": 5.0}), Validation(2, 100.0, {"loss": 4.0})]
    for n in (1, 2):
        checkpoints.save(Snapshot(tensors, tensors, Progress(step=n, validations=found[:n])))
    path = checkpoints.folder / "index.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    assert old.pop("seal")
    assert old.pop("losses") == {"step-00000001": 5.0, "step-00000002": 4.0}
    path.write_text(json.dumps(old), encoding="utf-8")
    assert checkpoints.index().best == ["step-00000001", "step-00000002"]
    checkpoints.remember(Progress(step=2, validations=found))
    assert checkpoints.index().best == ["step-00000002", "step-00000001"]


def test_one_that_was_not_validated_stays_until_the_next(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(snapshot(0))
    checkpoints.save(snapshot(1, 2.0))
    checkpoints.save(snapshot(2))
    assert names(checkpoints) == [1, 2]
    checkpoints.save(snapshot(3, 1.0, due=False))
    assert names(checkpoints) == [1, 3]
    checkpoints.save(snapshot(4, 3.0))
    assert names(checkpoints) == [1, 4]


def test_the_same_step_again_renews_its_progress(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(snapshot(1))
    checkpoints.save(snapshot(1, 2.0))
    two = {"step-00000001": 2.0}
    assert checkpoints.index() == Index(["step-00000001"], two, losses=two)
    assert checkpoints.load("step-00000001").progress == snapshot(1, 2.0).progress


def test_a_folder_that_the_index_does_not_know_is_written_over(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    broken = checkpoints.folder / "step-00000001"
    broken.mkdir(parents=True)
    (broken / "model.safetensors").write_bytes(b"half")
    checkpoints.save(snapshot(1))
    assert checkpoints.load("step-00000001").model["w"].tolist() == [1.0, 1.0]


def test_a_damaged_index(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(snapshot(1))
    path = checkpoints.folder / "index.json"
    for text in (path.read_text(encoding="utf-8")[:9], "[]", '{"names": 3}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CheckpointError) as caught:
            checkpoints.index()
        assert str(caught.value).startswith(f"{path}: damaged (")
        assert str(caught.value).endswith(
            "); expected an index of checkpoints. Go on with --resume, which makes it anew, or copy"
            " the run folder again."
        )


def test_a_damaged_state(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    path = checkpoints.save(snapshot(1)) / "state.json"
    path.write_text(path.read_text(encoding="utf-8")[:20], encoding="utf-8")
    with pytest.raises(CheckpointError) as caught:
        checkpoints.load("step-00000001")
    assert str(caught.value).startswith(f"{path}: damaged (")
    assert "expected the state of a run. Go on with --resume" in str(caught.value)
