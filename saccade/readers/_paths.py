"""Names of files that recipes and tables give, and the paths that they mean."""

import os
from pathlib import Path

from saccade.errors import DataError

_LONGEST_PATH, _LONGEST_NAME = 4000, 255  # bytes


def local_path(root: Path, name: str) -> Path:
    """Find the file below `root` that is called `name`; no name, no path."""
    if odd := unfit(name):
        raise DataError(
            f"{name[:60]!r} {odd}; expected the name of a file. Change the reader's path."
        )
    try:
        return root / Path(name).expanduser() if name else Path()
    except RuntimeError:  # ~ of a user that is not known
        return root / name


def unfit(name: str) -> str:
    """Say why no file can have a name, whatever the disk; nothing if one can."""
    if "\0" in name:
        return "holds NUL"
    try:
        lengths = [len(os.fsencode(part)) for part in name.split("/")]
    except UnicodeEncodeError:
        return "holds half a character, a lone surrogate"
    if sum(lengths) + len(lengths) > _LONGEST_PATH or max(lengths) > _LONGEST_NAME:
        return f"has {len(name):,} characters, which is too long"
    return ""
