"""Reading the small files of a folder that somebody else may have made.

A file is regular, of so many bytes at most, and holds so many values at most, or it is refused
before it is read. What is wrong is a ValueError or an OSError; whoever reads says where and what to
do.
"""

import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

SMALL = 1 << 20  # bytes of a file that says a few things
MOST_VALUES = 1 << 20  # of a JSON file
_SIGNS = (b",", b"[", b"{")  # there is one before every value but the first
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path, most: int) -> BufferedReader:
    """Open a file; a pipe, a device or one over `most` bytes is refused and never waited on.

    A link is followed: folders are often kept as links into a store.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("not a file")
        if found.st_size > most:
            raise ValueError(f"over {most:,} bytes")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, most: int = SMALL) -> bytes:
    """Read a regular file of at most `most` bytes."""
    with open_regular(path, most) as file:
        data = file.read(most + 1)
    if len(data) > most:  # it grows
        raise ValueError(f"over {most:,} bytes")
    return data


def read_text(path: Path, most: int = SMALL) -> str:
    """Read a regular file of at most `most` bytes as UTF-8; every line ends in a line feed."""
    return read_bytes(path, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path, most: int = SMALL, values: int = MOST_VALUES) -> Any:
    """Read a regular JSON file of at most `most` bytes and about `values` values."""
    return parse_json(read_bytes(path, most), values)


def parse_json(data: bytes, values: int = MOST_VALUES) -> Any:
    """Read JSON of about `values` values at most; ValueError if it is none, or nested deeply.

    >>> parse_json(b'{"format": 2}')
    {'format': 2}
    """
    if sum(map(data.count, _SIGNS)) > values:
        raise ValueError(f"over {values:,} values")
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
