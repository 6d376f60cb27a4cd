r"""Several files in one input, so that one mutation reaches any of them.

    what is in the first file
    %% name of the second
    what is in it

Only names that a target knows are written; the line feed before `%%` belongs to neither file.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_NAME = re.compile(rb"\n%% ([^\n]{1,100})\n")


def split(data: bytes, names: Sequence[str]) -> dict[str, bytes]:
    r"""Return the files of an input by their names; of a name that stands twice the last.

    >>> split(b"one\n\n%% b\ntwo", ["a", "b"])
    {'a': b'one\n', 'b': b'two'}
    """
    first, *rest = _NAME.split(data)
    found = {names[0]: first}
    for name, content in zip(rest[::2], rest[1::2], strict=True):
        told = name.decode("utf-8", "replace")
        if told in names:
            found[told] = content
    return found


def join(files: Mapping[str, bytes]) -> bytes:
    """Put files into one input; the first has no name."""
    (_, first), *rest = files.items()
    return first + b"".join(b"\n%% " + name.encode() + b"\n" + body for name, body in rest)


@contextmanager
def unpacked(files: Mapping[str, bytes], base: Path | None = None) -> Iterator[Path]:
    """Write files into a folder that is there meanwhile; beside them, links to those of `base`."""
    folder = Path(tempfile.mkdtemp(dir=_room()))
    try:
        for path in sorted(base.iterdir()) if base else ():
            if path.name not in files:
                os.link(path, folder / path.name) if _near(path) else shutil.copy(path, folder)
        for name, content in files.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _room() -> str | None:
    """Return a folder in memory, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _near(path: Path) -> bool:
    """Tell whether a link can be made instead of a copy."""
    return path.stat().st_dev == Path(_room() or tempfile.gettempdir()).stat().st_dev
