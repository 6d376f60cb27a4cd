"""Pairs in one file, columns parted by tabs."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Tsv(Reader):
    """A tab-separated UTF-8 file, plain or `.gz`; columns count from 1.

    There are no quotes and no header. Lines with nothing on them are skipped.
    """

    def __init__(self, root: Path, *, path: str = "", source: int = 1, target: int = 2) -> None:
        self.path = place(root, path)
        super().__init__(root, self.path)
        self.source, self.target = source, target

    def read(self) -> Iterator[Example]:
        """Yield a pair for every line."""
        least = min(self.source, self.target)
        if least < 1:
            raise DataError(
                f"{self.path}: column {least} was asked for; columns count from 1."
                " Change source or target of the reader."
            )
        for number, line in numbered(self.path):
            if line:
                columns = line.split("\t")
                self._check(columns, number)
                source, target = columns[self.source - 1], columns[self.target - 1]
                yield pair(source, target, f"{self.path}:{number}")

    def fingerprint(self) -> str:
        """Hash the file and which columns are read."""
        return fingerprint([self.path], "tsv", self.source, self.target)

    def _check(self, columns: list[str], number: int) -> None:
        for side, column in (("source", self.source), ("target", self.target)):
            if column > len(columns):
                raise DataError(
                    f"{self.path}:{number}: no column {column} for the {side}; the line has"
                    f" {len(columns)}, parted by tabs. Mend the line or change the reader's"
                    f" {side}."
                )
