"""Pairs in one file, columns parted by tabs."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered
from saccade.readers._remote import address
from saccade.readers._table import LOOKED, Table, Unread, left_out, with_features


class Tsv(Table):
    """A tab-separated UTF-8 file, plain or `.gz`; columns count from 1.

    There are no quotes and no header; `csv` reads files that have them. Lines with nothing on them
    are skipped. `features` is a column such as `V;PST`, which is put behind the source and a tab
    for the tokenizer `featured`; 0 is none.
    """

    def __init__(
        self, root: Path, *, path: str = "", source: int = 1, target: int = 2, features: int = 0
    ) -> None:
        self.path = address(root, path)
        super().__init__(root, self.path)
        self.source, self.target, self.features = source, target, features
        named = {"source": source, "target": target, "features": features}
        self._used = {
            side: column for side, column in named.items() if column or side != "features"
        }

    def read(self) -> Iterator[Example]:
        """Yield a pair for every line."""
        least = min(self._used.values())
        if least < 1:
            raise DataError(
                f"{self.path}: column {least} was asked for; columns count from 1."
                " Change source, target or features of the reader."
            )
        for number, columns in self._rows():
            where = f"{self.path}:{number}"
            self._check(columns, where)
            source, target = columns[self.source - 1], columns[self.target - 1]
            if self.features:
                source = with_features(source, columns[self.features - 1], where)
            yield pair(source, target, where)

    def fingerprint(self) -> str:
        """Hash the file and which columns are read."""
        beside = [self.features] if self.features else []
        return fingerprint([self.path], "tsv", self.source, self.target, *beside)

    def unread(self) -> list[Unread]:
        """List further columns, by their number."""
        rows = [columns for _, columns in islice(self._rows(), LOOKED)]
        return left_out(self.path, rows, [column - 1 for column in self._used.values()])

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in numbered(self.path):
            if line:
                yield number, line.split("\t")

    def _check(self, columns: list[str], where: str) -> None:
        for side, column in self._used.items():
            if column > len(columns):
                raise DataError(
                    f"{where}: no column {column} for the {side}; the line has"
                    f" {len(columns)}, parted by tabs. Mend the line or change the reader's"
                    f" {side}."
                )
