"""Rows of columns: what the readers of tables share, whatever file the rows are in."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from saccade.errors import DataError, suggest
from saccade.intake.numbers import whole
from saccade.readers.base import Reader

Column: TypeAlias = int | str  # its number from 1, or its name
LOOKED = 1000  # rows in which columns that are not read are looked for


@dataclass(frozen=True, slots=True)
class Unread:
    """A column of a file that a reader leaves out, with the first value that stands in it."""

    path: Path
    column: str
    value: str


class Table(Reader):
    """A reader of rows of which it reads some columns."""

    @abstractmethod
    def unread(self) -> list[Unread]:
        """List the columns of the first thousand rows that hold something and are not read."""


def with_features(source: str, features: str, where: str) -> str:
    r"""Put features behind a source and a tab, as the tokenizer `featured` reads them.

    >>> with_features("run", "V;PST", "a.tsv:1")
    'run\tV;PST'
    """
    if "\t" in source:
        raise DataError(
            f"{where}: the source {source[:40]!r} holds a tab; expected none, as a tab ends the"
            " source where features follow. Replace it by a space."
        )
    return f"{source}\t{features}" if features.strip() else source


def left_out(path: Path, rows: Sequence[Sequence[str]], used: Sequence[int]) -> list[Unread]:
    """List the columns of `rows`, numbered from 1, that are not among `used`, from 0."""
    first: dict[int, str] = {}
    for row in rows:
        for i, value in enumerate(row):
            if value.strip() and i not in used:
                first.setdefault(i, value)
    return [Unread(path, str(i + 1), first[i]) for i in sorted(first)]


def place_of(column: Column, names: Sequence[str], side: str, where: str) -> int:
    """Return the place, from 0, of a column among `names`; refuse one that is not there.

    Text that is no name but a number is taken for the number.
    """
    if isinstance(column, str) and column in names:
        return names.index(column)
    number = whole(column) if isinstance(column, str) else column
    if number is None:
        raise DataError(
            f"{where}: no column '{column}' for the {side}.{suggest(str(column), names)}"
            f" Columns found: {', '.join(names) or 'none'}. Name the right one in the reader's"
            " options."
        )
    if not 1 <= number <= len(names):
        raise DataError(
            f"{where}: no column {number} for the {side}; there are {len(names)}"
            f" ({', '.join(names)}), counted from 1. Change {side} of the reader."
        )
    return number - 1
