import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from saccade.errors import CheckpointError
from saccade.train.checkpoint import Checkpoints, Snapshot
from saccade.train.history import METRICS
from saccade.train.log import Log, clock, counting
from saccade.train.processes import Processes
from saccade.train.progress import Progress, Validation
from tests.train import small


class Board:
    """Notes what is drawn."""

    def __init__(self) -> None:
        self.points: list[tuple[str, float, int]] = []

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        self.points.append((tag, scalar_value, global_step))


def test_plain_lines_without_a_terminal(tmp_path: Path) -> None:
    text = io.StringIO()
    log = Log(tmp_path, Console(file=text))
    with log.live():
        log.report("epoch 1", 30.0, 90.0)
    assert text.getvalue() == "epoch 1  1:30 left\n"
    assert (tmp_path / "train.log").read_text(encoding="utf-8").endswith("epoch 1  1:30 left\n")


def test_what_nobody_knows_is_not_told() -> None:
    text = io.StringIO()
    Log(None, Console(file=text)).report("epoch 1", 30.0, None)
    assert text.getvalue() == "epoch 1\n"


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    text = io.StringIO()
    log = Log(tmp_path, Console(file=text, force_terminal=True, width=120))
    with log.live():
        log.report("epoch [b]1", 60.0, 60.0)
    assert "epoch [b]1" in text.getvalue()
    assert "1:00 left" in text.getvalue()
    assert not (tmp_path / "train.log").exists()


def test_records_go_to_the_file_and_the_board(tmp_path: Path) -> None:
    board = Board()
    Log(tmp_path, Console(file=io.StringIO()), board).record("train", 3, {"loss": 1.5, "epoch": 0})
    row = json.loads((tmp_path / "metrics.jsonl").read_text(encoding="utf-8"))
    assert row == {"kind": "train", "step": 3, "loss": 1.5, "epoch": 0}
    assert board.points == [("train/loss", 1.5, 3)]


def test_rewinding_keeps_what_the_run_still_knows(tmp_path: Path) -> None:
    log = Log(tmp_path, Console(file=io.StringIO()))
    log.rewind(Progress())  # nothing written yet
    for step in (1, 2, 3):
        log.record("train", step, {})
        log.record("valid", step, {})
    log.rewind(Progress(step=2, validations=[Validation(1, 0.0, {})]))
    lines = (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(row["kind"], row["step"]) for row in map(json.loads, lines)] == [
        ("train", 1),
        ("valid", 1),
        ("train", 2),
    ]


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "train.log").mkdir()
    with pytest.raises(CheckpointError, match=r"train.log: cannot be written: Is a directory"):
        Log(tmp_path, Console(file=io.StringIO())).say("hello")


def test_clock() -> None:
    assert [clock(seconds) for seconds in (0, 59.9, 61, 3600)] == [
        "0:00",
        "0:59",
        "1:01",
        "1:00:00",
    ]


def test_counting_is_silent_without_a_terminal() -> None:
    text = io.StringIO()
    with counting(Console(file=text), 3, "lines") as bar:
        bar.advance(bar.task_ids[0])
    assert text.getvalue().strip() == ""


def test_a_checkpoint_knows_no_more_than_what_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced, save = tmp_path / METRICS, [0], Checkpoints.save

    def fsync(file: int) -> None:
        if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
            synced.append(path.stat().st_size)

    def looked(self: Checkpoints, snapshot: Snapshot, processes: Processes) -> Path:
        assert synced[-1] == (path.stat().st_size if path.exists() else 0)
        return save(self, snapshot, processes)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Checkpoints, "save", looked)
    small.run(tmp_path, max_steps=4, validate_every=2)
    assert len(set(synced)) == 3  # nothing, and two validations
