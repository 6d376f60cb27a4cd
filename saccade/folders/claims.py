"""Claiming a folder to write a run or a model to: it must be ours, and nobody else's just now."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saccade.errors import CheckpointError
from saccade.folders.facts import BEGUN, FORMAT, read_facts
from saccade.train.files import sweep_leftovers, told, write_text
from saccade.train.lock import LOCK, held, refuse_held

_FACTS = "saccade.json"
ANEW = "Go on with --resume, or start anew with --overwrite."


@contextmanager
def claimed(
    folder: Path, *, resume: bool = False, overwrite: bool = False, advice: str = ANEW
) -> Iterator[None]:
    """Claim a folder and hold its lock for the time of a `with`; arguments are those of `claim`."""
    claim(folder, resume=resume, overwrite=overwrite, advice=advice)
    with held(folder):
        claim(folder, resume=resume, overwrite=overwrite, advice=advice, own=True)
        yield


def claim(
    folder: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    advice: str = ANEW,
    own: bool = False,
) -> None:
    """Make sure that the folder is ours to write to; nothing is written or deleted yet.

    Args:
        folder: a place to write.
        resume: it must hold a run.
        overwrite: it may hold a run, which is then deleted.
        advice: what to do if it holds files, in the options that the caller has.
        own: whether this process has its lock.
    """
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(
            f"{folder}: is a file; expected a folder to write the run to. Choose another."
        )
    if not own:
        refuse_held(folder)
    ours = (folder / _FACTS).exists()
    begun = ours and read_facts(folder).get(BEGUN, False)
    if resume and (begun or not ours):
        raise CheckpointError(
            f"{folder}: nothing to resume: no run came to its first checkpoint there. Leave out"
            " --resume."
        )
    if resume or begun or not folder.exists() or _is_empty(folder):
        return
    if not overwrite:
        raise CheckpointError(f"{folder}: already holds files. {advice}")
    if not ours:
        raise CheckpointError(
            f"{folder}: not a run of saccade, so --overwrite will not delete it. Choose another."
        )


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds a run that came to its first checkpoint, or a finished model."""
    return (folder / _FACTS).exists() and not read_facts(folder).get(BEGUN)


def begin(folder: Path) -> None:
    """Make the folder ours, and delete what an earlier run of ours left there.

    A kill from here to `write_identity` leaves it `begun`: not a run, and free to begin again.
    """
    ours = (folder / _FACTS).exists()
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / _FACTS, json.dumps({"format": FORMAT, BEGUN: True}))
    sweep_leftovers(folder)
    with told(folder):
        for entry in folder.iterdir() if ours else ():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name not in (_FACTS, LOCK):
                entry.unlink()


def _is_empty(folder: Path) -> bool:
    """Tell whether nobody wrote here, or only began to: a kill may leave half of the first file."""
    first = {LOCK, *(path.name for path in folder.glob(f".{_FACTS}.*.part"))}
    return all(entry.name in first for entry in folder.iterdir())
