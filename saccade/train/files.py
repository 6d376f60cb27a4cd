"""Writing files so that a crash at any moment leaves the old one or the new one, never half."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from saccade.errors import CheckpointError


def write_text(path: Path, text: str) -> None:
    """Write a text file aside, sync it, and put it in place in one move."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _told(path):
        try:
            with aside.open("w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
            _sync(path.parent)
        finally:
            aside.unlink(missing_ok=True)


def write_file(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write a file aside, sync it, and put it in place in one move."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _told(path):
        try:
            fill(aside)
            _sync(aside)
            aside.replace(path)
            _sync(path.parent)
        finally:
            aside.unlink(missing_ok=True)


def write_folder(path: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write into a folder aside, sync it, and put it in place in one move."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with _told(path):
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            fill(aside)
            for file in (*aside.iterdir(), aside):
                _sync(file)
            if path.exists():
                shutil.rmtree(path)
            aside.rename(path)
            _sync(path.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def sweep_leftovers(folder: Path) -> None:
    """Remove what a killed run left half written."""
    for leftover in folder.glob(".*.part"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


class _told:  # noqa: N801 - reads as a word: `with _told(path)`
    """Turns what the operating system says into an error that says what to do."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # safetensors wraps the system's error in its own and keeps only its text
        text = str(error)
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or "No space left on device" in text or "os error 28" in text:
            raise CheckpointError(
                f"{self.path}: the disk is full; nothing that was saved before is lost. Free some"
                " space and go on with --resume."
            ) from error
        if isinstance(error, OSError):
            raise CheckpointError(f"{self.path}: cannot be written: {error.strerror}.") from error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
