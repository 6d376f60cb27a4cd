import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from saccade.errors import CheckpointError
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import aside, sweep_leftovers, write_file, write_folder, write_text
from tests.train import small


def test_text_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "old\n")

    def fail(aside: Path) -> None:
        aside.write_text("ne", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "a", fail)
    assert (tmp_path / "a").read_text(encoding="utf-8") == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_is_synced_before_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append((tmp_path / "a").exists()))
    write_text(tmp_path / "a", "text")
    assert seen == [False, True]  # the file before the move, its folder after it


def test_a_folder_gives_way_to_a_new_one(tmp_path: Path) -> None:
    for text in ("old", "new"):
        write_folder(tmp_path / "a", lambda aside, text=text: _fill(aside, text))  # type: ignore[misc]
    assert (tmp_path / "a" / "file").read_text(encoding="utf-8") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def _fill(aside: Path, text: str) -> None:
    (aside / "file").write_text(text, encoding="utf-8")


def test_leftovers_are_swept(tmp_path: Path) -> None:
    (tmp_path / ".a.1.part").write_text("", encoding="utf-8")
    (tmp_path / ".b.1.part").mkdir()
    (tmp_path / "kept").write_text("", encoding="utf-8")
    sweep_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_what_killed_processes_left_of_a_file_is_swept_when_it_is_written(tmp_path: Path) -> None:
    mine = aside(tmp_path / "a").name
    dead = mine.replace(f".{os.getpid()}@", f".{_dead()}@")
    elsewhere = dead.replace("@", "@elsewhere-")
    living = mine.replace(f".{os.getpid()}@", f".{os.getppid()}@")
    for name in (dead, elsewhere, living, dead.replace(".a.", ".b.")):
        (tmp_path / name).write_text("half", encoding="utf-8")
    (tmp_path / dead.replace(".part", ".old.part")).mkdir()
    write_text(tmp_path / "a", "whole")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a", elsewhere, living, dead.replace(".a.", ".b.")}


def _dead() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_kill_while_weights_are_written_leaves_nothing_for_good(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; import torch; from saccade.train import weights;"
        "from saccade.train.files import write_file;"
        "weights.save_file = lambda _, path: (path.write_bytes(b'half'), os._exit(9));"
        "write_file(Path(sys.argv[1]), lambda p: weights.save(p, {'a': torch.ones(1)}))"
    )
    path = tmp_path / "model.safetensors"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == 9
    assert len(list(tmp_path.glob(".*.part"))) == 1
    write_file(path, lambda beside: weights.save(beside, {"a": torch.ones(1)}))
    assert list(tmp_path.iterdir()) == [path]


def test_all_of_a_folder_is_synced_before_it_takes_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    opened = Path("/proc/self/fd")
    if not opened.is_dir():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", lambda one: seen.append(str((opened / str(one)).readlink())))

    def fill(beside: Path) -> None:
        (beside / "inner").mkdir()
        (beside / "inner" / "file").write_text("", encoding="utf-8")

    write_folder(tmp_path / "a", fill)
    assert [name for name in seen if name.endswith("inner/file")]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        write_text(tmp_path / "no" / "a", "")
    assert str(caught.value) == (
        f"{tmp_path / 'no' / 'a'}: cannot be written: No such file or directory; expected a place"
        " to write. Check its rights, or choose another folder."
    )


@pytest.mark.parametrize("where", ["weights", "sync"])
def test_a_full_disk_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    small.run(tmp_path, max_steps=2)
    full = OSError(errno.ENOSPC, "No space left on device")

    def fail(*_: object) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(*((weights, "save") if where == "weights" else (os, "fsync")), fail)
        with pytest.raises(CheckpointError, match="the disk is full; nothing that was saved"):
            small.run(tmp_path, resume=True, max_steps=4)
    assert Checkpoints(tmp_path).index().last == "step-00000002"
    assert list(tmp_path.rglob("*.part")) == []
    small.run(tmp_path, resume=True, max_steps=4)
    small.run(tmp_path / "whole", max_steps=4)
    small.assert_same(tmp_path / "whole", tmp_path)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    disk, mount = tmp_path / "disk", shutil.which("mount")
    disk.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if not mount or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full(tiny_disk: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        small.run(tiny_disk / "run", max_steps=8, validate_every=1, keep_last=100)
    assert "the disk is full; nothing that was saved before is lost. Free some space" in str(
        caught.value
    )
    checkpoints = Checkpoints(tiny_disk / "run")
    checkpoints.load(checkpoints.index().last)
    assert list(tiny_disk.rglob("*.part")) == []
