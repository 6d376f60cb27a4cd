"""Pairs in one file, columns parted by commas or the like, with quotes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._dialect import CsvRow, Dialect, find_dialect, rows_of
from saccade.readers._lines import fingerprint, numbered
from saccade.readers._names import SIDES, find_pair, find_side, is_number_of_row, looks_like_header
from saccade.readers._remote import address
from saccade.readers._table import LOOKED, Column, Table, Unread, place_of, with_features

_SAMPLE = 500  # lines from which the dialect is found


class Csv(Table):
    """A UTF-8 file, plain or `.gz`, of fields parted by commas, semicolons, tabs or pipes.

    Delimiter and quotes are found by themselves unless they are named. Quoted fields may hold line
    feeds. With `header: auto` the first row names the columns if two of its cells are names such as
    `source`, `label` or `French`, or if a column is asked for by name. Columns are names, or
    numbers from 1; without any, they are found by the usual names, or are the first two that are
    not called `id` or the like. `features` is a column such as `V;PST`, put behind the source and a
    tab for the tokenizer `featured`.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        source: int | str = "",
        target: int | str = "",
        features: int | str = "",
        delimiter: Literal["auto", "comma", "semicolon", "tab", "pipe"] = "auto",
        quote: Literal["auto", "double", "single", "none"] = "auto",
        header: Literal["auto", "yes", "no", True, False] = "auto",  # YAML reads yes as true
    ) -> None:
        self.path = address(root, path)
        super().__init__(root, self.path)
        self.sides: dict[str, Column] = {"source": source, "target": target, "features": features}
        self.delimiter, self.quote = delimiter, quote
        self.header = {"yes": True, "no": False}.get(str(header), header)

    def read(self) -> Iterator[Example]:
        """Yield a pair for every row."""
        layout, rows = self._open()
        source, target, features = (layout.places[side] for side in self.sides)
        for row in rows:
            where = f"{self.path}:{row.line}"
            fields = layout.fitted(row, where)
            text = fields[source]
            if features >= 0:
                text = with_features(text, fields[features], where)
            yield pair(text, fields[target], where)

    def names(self) -> list[str]:
        """Return the names of the columns, or their numbers from 1 where there is no header."""
        return self._open()[0].names

    def unread(self) -> list[Unread]:
        """List the columns that are not read, by name."""
        layout, rows = self._open()
        first: dict[int, str] = {}
        for row in islice(rows, LOOKED):
            for i, field in enumerate(layout.fitted(row, f"{self.path}:{row.line}")):
                if field.strip() and i not in layout.places.values():
                    first.setdefault(i, field)
        return [Unread(self.path, layout.names[i], first[i]) for i in sorted(first)]

    def fingerprint(self) -> str:
        """Hash the file and how it is read."""
        options = (list(self.sides.values()), self.delimiter, self.quote, self.header)
        return fingerprint([self.path], "csv", *options)

    def _open(self) -> tuple["Layout", Iterator[CsvRow]]:
        """Find the dialect, the header and the columns; return them and the rows of pairs."""
        lines = (line for _, line in numbered(self.path))
        sample = list(islice(lines, _SAMPLE))
        dialect = find_dialect(sample, self.path, delimiter=self.delimiter, quote=self.quote)
        rows = rows_of(chain(sample, lines), dialect, self.path)
        first = next(rows, None)
        if first is None:
            raise DataError(
                f"{self.path}: no row holds anything; expected a source and a target in each."
                " Check the path."
            )
        if self._has_header(first):
            names, rest = [cell.strip() for cell in first.fields], rows
        else:
            names = [str(i + 1) for i in range(len(first.fields))]
            rest = chain([first], rows)
        return Layout(dialect, names, first.line, self._places(names, first)), rest

    def _has_header(self, first: CsvRow) -> bool:
        if self.header != "auto":
            return bool(self.header)
        cells = [cell.strip() for cell in first.fields]
        asked = [c for c in self.sides.values() if isinstance(c, str) and c and not c.isdecimal()]
        return looks_like_header(cells) or any(column in cells for column in asked)

    def _places(self, names: list[str], first: CsvRow) -> dict[str, int]:
        """Return the place of every side, from 0; -1 if there are no features."""
        where = f"{self.path}:{first.line}"
        given = {
            side: place_of(column, names, side, where)
            for side, column in self.sides.items()
            if column != ""
        }
        lacking = [side for side in SIDES if side not in given]
        usual = find_pair(names) if len(lacking) == 2 else None
        for i, side in enumerate(lacking):
            one = usual[i] if usual else find_side(side, names, given.values())
            given[side] = next(_free(names, given), -1) if one is None else one
            if given[side] < 0:
                raise DataError(
                    f"{where}: no column is left for the {side}; the row has {len(names)}. Name the"
                    " reader's columns, or its delimiter."
                )
        return {"features": -1, **given}


def _free(names: list[str], given: dict[str, int]) -> Iterator[int]:
    """Yield the places that are not given, those that count the rows last."""
    free = [place for place in range(len(names)) if place not in given.values()]
    return iter(sorted(free, key=lambda place: is_number_of_row(names[place])))


@dataclass(frozen=True, slots=True)
class Layout:
    """What was found out about a file: how it is cut, its columns, and which of them are read.

    line: where the first row stands.  places: the place of each side, from 0; -1 for none.
    """

    dialect: Dialect
    names: list[str]
    line: int
    places: dict[str, int]

    def fitted(self, row: CsvRow, where: str) -> list[str]:
        """Return the fields of a row that has as many as the first; empty ones may follow."""
        width = len(self.names)
        if len(row.fields) < width or any(field.strip() for field in row.fields[width:]):
            raise DataError(
                f"{where}: {len(row.fields)} fields, but line {self.line} has {width}, parted by"
                f" {self.dialect.delimiter!r}; expected as many in every row. Quote fields that"
                " hold the delimiter, or name the reader's delimiter or quote."
            )
        return row.fields[:width]
