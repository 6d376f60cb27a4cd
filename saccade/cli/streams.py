"""Bytes in and out: lines of UTF-8 with only a line feed as their end, and files written whole."""

import errno
import json
import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from saccade.errors import DataError, RecipeError
from saccade.modalities._notation import Notation
from saccade.modalities._uri import file_uri
from saccade.readers._lines import decoded, read_lines
from saccade.train.files import aside, sweep_asides

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
    beside = aside(path)
    sweep_asides(path)
    try:
        with _opened(beside, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(
            f"{path}: cannot be written: {error.strerror}. Free some space, or choose another place"
            " with --output."
        ) from None
    finally:
        beside.unlink(missing_ok=True)


def _opened(path: Path, named: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise DataError(
            f"{named}: cannot be written: {error.strerror}. Choose another place with --output."
        ) from None


def named_inputs(lines: Iterable[str], sources: Collection[str]) -> Iterator[str | dict[str, str]]:
    """Yield the inputs of a model: lines, or a JSON object a line if it has several sources."""
    if len(sources) == 1:
        yield from lines
        return
    for number, line in enumerate(lines, start=1):
        yield named_input(line, sources, f"line {number}")


def named_input(text: str, sources: Collection[str], where: str) -> dict[str, str]:
    """Read a JSON object that gives the text of each source by its name."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    fits = isinstance(found, dict) and set(found) == set(sources)
    if not fits or not all(isinstance(one, str) for one in found.values()):
        wanted = ", ".join(f'"{name}": "..."' for name in sources)
        raise DataError(
            f"{where}: found {text[:60]!r}; expected a JSON object with the text of each source of"
            f" the model: {{{wanted}}}."
        )
    return {str(name): str(one) for name, one in found.items()}


def reads_pictures(notation: Notation) -> bool:
    """Tell whether a source is a picture, a clip or a sound, which may be a file."""
    return notation.view in ("picture", "film", "spectrogram")


def picture_inputs(
    given: Sequence[str], sources: Mapping[str, Notation], model: Path
) -> Iterator[Any]:
    """Yield the inputs that words of the command line name, read; an error names the file.

    Each is a file of a picture or a sound. Of a model with several sources all together are one
    input, each `NAME=FILE` or `NAME=TEXT`.
    """
    if not any(reads_pictures(notation) for notation in sources.values()):
        raise RecipeError(
            f"{given[0][:80]}: {model} reads no pictures or sounds, so no file can be named;"
            " expected lines. Write them to standard input, or use --input FILE."
        )
    if len(sources) == 1:
        (only,) = sources.values()
        yield from (only.read(picture_text(one), one[:80]) for one in given)
        return
    pairs = [one.partition("=") for one in given]
    if sorted(name for name, _, _ in pairs) != sorted(sources):
        wanted = " ".join(
            f"{name}={'FILE' if reads_pictures(one) else 'TEXT'}" for name, one in sources.items()
        )
        raise RecipeError(f"{' '.join(given)[:80]}: {model} reads several sources. Give {wanted}.")
    yield {
        name: sources[name].read(picture_text(value), value[:80])
        if reads_pictures(sources[name])
        else value
        for name, _, value in pairs
    }


def picture_text(given: str) -> str:
    """Return a picture as text: a data URI as it is, or the file that somebody named."""
    return given if given[:5].lower() == "data:" else file_uri(Path(given))
