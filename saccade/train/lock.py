"""The lock of a run folder: one process writes there at a time.

The kernel holds it, so that it ends with the process however that ends. What the file says is for
people: who has it.
"""

import contextlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from saccade.errors import CheckpointError
from saccade.intake.files import read_json
from saccade.train.files import told

if sys.platform != "win32":
    import fcntl

LOCK = ".lock"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, made if need be, for the time of a `with`; refuse if it is taken.

    Folders that hold nothing else afterwards, and were made here, are removed. Where there are no
    locks, on Windows and some network drives, nothing is held.
    """
    new = [one for one in (folder, *folder.parents) if not one.exists()]
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
    file = _taken(folder)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # it stays, and nobody holds it
            (folder / LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            file.close()
        with contextlib.suppress(OSError):  # one that holds something, as it should
            for one in new:
                one.rmdir()


def refuse_held(folder: Path) -> None:
    """Refuse a folder that another process is writing to."""
    with contextlib.suppress(OSError), (folder / LOCK).open("r+") as file:
        if not _lock(file):
            raise CheckpointError(_who(folder))


def _taken(folder: Path) -> IO[str]:
    path = folder / LOCK
    while True:
        with told(path):
            file = path.open("a+", encoding="utf-8")
        if not _lock(file):
            file.close()
            raise CheckpointError(_who(folder))
        with contextlib.suppress(FileNotFoundError):  # another has just let go of it
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                break
        file.close()
    who = {"host": platform.node(), "pid": os.getpid(), "since": time.strftime("%F %T")}
    with told(path):
        file.truncate(0)
        file.write(json.dumps(who) + "\n")
        file.flush()
    return file


def _lock(file: IO[str]) -> bool:
    """Take a lock, or say that another process has it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _who(folder: Path) -> str:
    try:
        said = read_json(folder / LOCK)
        host, pid, since = str(said["host"])[:80], int(said["pid"]), str(said["since"])[:20]
    except (OSError, ValueError, KeyError, TypeError):
        host, pid, since = "a host that is not known", 0, "a moment ago"
    here = host == platform.node()
    advice = (
        f"Wait for it, or stop it: kill {pid}."
        if here
        else "Wait for it, or stop it there. If that machine is down, its file server still holds"
        f" the lock and drops it after a while; if that server is down too, delete {folder / LOCK}."
    )
    return (
        f"{folder}: process {pid} on {host} has been writing here since {since}; expected a folder"
        f" that nobody else writes to. {advice} Or choose another folder."
    )
