"""Writing files so that a crash at any moment leaves the old one or the new one, never half."""

import errno
import glob
import os
import re
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from saccade.errors import CheckpointError

_ASIDE = re.compile(r".*\.(\d+)@(.*?)(\.old)?\.part")  # process and host of what lies aside


def write_text(path: Path, text: str) -> None:
    """Write a text file aside, sync it, and put it in place in one move."""

    def fill(aside: Path) -> None:
        with aside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)

    write_file(path, fill)


def copy_file(source: Path, path: Path) -> None:
    """Copy a file aside, sync it, and put it in place in one move."""

    def fill(aside: Path) -> None:
        shutil.copyfile(source, aside)

    write_file(path, fill)


def write_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file aside, sync it, and put it in place in one move."""
    beside = aside(path)
    sweep_asides(path)
    with told(path):
        try:
            fill(beside)
            sync(beside)
            beside.replace(path)
            sync(path.parent)
        finally:
            beside.unlink(missing_ok=True)


def write_folder(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write files into a folder aside, sync it, and put it in place in one move.

    What stood there before is moved aside first and removed last.
    """
    beside = aside(path)
    old = aside(path, ".old")
    sweep_asides(path)
    with told(path):
        try:
            shutil.rmtree(beside, ignore_errors=True)
            beside.mkdir(parents=True)
            fill(beside)
            for file in (*beside.rglob("*"), beside):
                sync(file)
            if path.exists():
                path.rename(old)
            beside.rename(path)
            sync(path.parent)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)


def sweep_leftovers(folder: Path) -> None:
    """Remove what a killed run left half written, in a folder that is ours alone."""
    for leftover in folder.glob(".*.part"):
        _remove(leftover)


def sweep_asides(path: Path) -> None:
    """Remove what processes of this machine that were killed left of a file or folder `path`.

    Others may be writing beside it: what lives, or may live on another machine, stays.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        found = _ASIDE.fullmatch(leftover.name)
        if found and found[2] == _host() and not is_alive(int(found[1])):
            _remove(leftover)


def is_alive(process: int) -> bool:
    """Tell whether a process of this machine runs, as far as anybody knows."""
    if sys.platform == "win32":  # where a signal 0 is no question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _remove(leftover: Path) -> None:
    if leftover.is_dir():
        shutil.rmtree(leftover, ignore_errors=True)
    else:
        leftover.unlink(missing_ok=True)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what the operating system says into an error that says what to do."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        number = error.errno if isinstance(error, OSError) else None
        # safetensors wraps the system's error in its own and keeps only its text
        if number in (errno.ENOSPC, errno.EDQUOT) or "os error 28" in str(error):
            raise CheckpointError(
                f"{path}: the disk is full; nothing that was saved before is lost. Free some"
                " space and go on with --resume."
            ) from error
        said = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise CheckpointError(
            f"{path}: cannot be written: {said}; expected a place to write. Check its rights, or"
            " choose another folder."
        ) from error


def aside(path: Path, what: str = "") -> Path:
    """Name the place beside `path` that this process writes to; a leftover there is swept away."""
    return path.with_name(f".{path.name}.{os.getpid()}@{_host()}{what}.part")


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:40]


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk, for power cuts."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
