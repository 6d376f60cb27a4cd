"""Bytes in and out: lines of UTF-8 with only a line feed as their end, and files written whole."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from saccade.errors import DataError
from saccade.readers._lines import decoded, read_lines

STDIN = Path("<stdin>")


def input_lines(path: Path | None) -> Iterator[str]:
    """Yield the lines of a file, or of standard input as they come."""
    if path is None or str(path) == "-":
        return decoded(iter(sys.stdin.buffer.readline, b""), STDIN)
    return read_lines(path)


def input_size(path: Path | None) -> int:
    """Return how many bytes there are to read, 0 if that is not known beforehand."""
    try:
        found = os.fstat(sys.stdin.fileno()) if path is None or str(path) == "-" else path.stat()
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


@contextmanager
def output(path: Path | None) -> Iterator[BinaryIO]:
    """Open standard output, or a file that takes its place only once it is whole."""
    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):  # /dev/null, a named pipe
        with _opened(path, path) as file:
            yield file
        return
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _opened(aside, path) as file:
            yield file
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _opened(path: Path, named: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise DataError(
            f"{named}: cannot be written: {error.strerror}. Choose another place with --output."
        ) from None
