"""One process writes to a run folder at a time, and a crash lets go of it."""

import errno
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import CheckpointError
from saccade.folders.claims import claimed
from saccade.run import average, train
from saccade.train.lock import LOCK, held, refuse_held
from tests.train import small, workers

HOLDER = """
import sys, time
from pathlib import Path
from saccade.train.lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(CheckpointError) as caught, held(tmp_path):
        pass
    message = str(caught.value)
    assert message.startswith(
        f"{tmp_path}: process {os.getpid()} on {platform.node()} has been writing here since 20"
    )
    assert message.endswith(
        "; expected a folder that nobody else writes to. Wait for it, or stop it: kill"
        f" {os.getpid()}. Or choose another folder."
    )
    with held(tmp_path):
        pass


def test_another_machine_is_named_with_what_to_do_if_it_is_down(tmp_path: Path) -> None:
    with held(tmp_path):
        other = {"host": "elsewhere", "pid": 7, "since": "2026-01-01 00:00:00"}
        (tmp_path / LOCK).write_text(json.dumps(other), encoding="utf-8")
        with pytest.raises(CheckpointError) as caught:
            refuse_held(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: process 7 on elsewhere has been writing here since 2026-01-01 00:00:00;"
        " expected a folder that nobody else writes to. Wait for it, or stop it there. If that"
        " machine is down, its file server still holds the lock and drops it after a while; if that"
        f" server is down too, delete {tmp_path / LOCK}. Or choose another folder."
    )


def test_a_crash_lets_go_of_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(CheckpointError, match=f"process {process.pid} on"):
            refuse_held(tmp_path)
        process.kill()
        process.wait()
    assert (tmp_path / LOCK).exists()
    with held(tmp_path):
        pass
    assert not (tmp_path / LOCK).exists()


def test_a_folder_that_was_made_for_nothing_goes_again(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), held(tmp_path / "new"):
        raise ValueError("x")
    assert not (tmp_path / "new").exists()
    with held(tmp_path / "kept"):
        (tmp_path / "kept" / "file").write_text("x", encoding="utf-8")
    assert [one.name for one in (tmp_path / "kept").iterdir()] == ["file"]


def test_what_a_crash_left_of_it_is_no_file_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("{}", encoding="utf-8")
    with claimed(tmp_path):
        pass


def test_a_folder_that_a_run_writes_to_is_refused_whatever_is_asked(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with workers.running(folder, {"max_steps": 100_000, "validate_every": 1}) as worker:
        while not (folder / "metrics.jsonl").exists():
            worker.join(0.02)
            assert worker.is_alive()
        said = f"process {worker.pid} on {platform.node()} has been writing here since"
        for asked in ({}, {"resume": True}, {"overwrite": True}):
            with pytest.raises(CheckpointError, match=said):
                train(small.recipe(), folder, console=small.quiet(), **asked)  # type: ignore[arg-type]
        with pytest.raises(CheckpointError, match=said):
            average(folder, folder, last=1)
        assert worker.is_alive()
        before = (folder / "metrics.jsonl").stat().st_size
        while (folder / "metrics.jsonl").stat().st_size == before:
            worker.join(0.02)
            assert worker.is_alive()


def test_a_lock_that_cannot_be_removed_hides_no_other_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path, **_: object) -> None:
        raise OSError(errno.EIO, "Input/output error", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        with pytest.raises(ValueError, match="x"), held(tmp_path):
            raise ValueError("x")
    assert (tmp_path / LOCK).exists()
    with held(tmp_path):  # nobody has it
        pass
