"""Pairs of a wrong and a right spelling, from a list by the right word."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Misspellings(Reader):
    """A UTF-8 file of lines `right: wrong, wrong*3, ...`, plain or `.gz`.

    Every spelling is one pair, wrong to right; how often it was seen, behind the star, does not
    count. Lines whose right word is `?` are skipped, as in the lists of Norvig.
    """

    def __init__(self, root: Path, *, path: str = "") -> None:
        self.path = place(root, path)
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield a pair for every wrong spelling."""
        for number, line in numbered(self.path):
            right, colon, wrongs = (part.strip() for part in line.partition(":"))
            if line.strip() and not (right and colon):
                raise DataError(
                    f"{self.path}:{number}: found {line[:40]!r}; expected `right: wrong, wrong`."
                    " Mend the line."
                )
            spellings = (wrong.partition("*")[0].strip() for wrong in wrongs.split(","))
            if right != "?":
                origin = f"{self.path}:{number}"
                yield from (pair(wrong, right, origin) for wrong in spellings if wrong)

    def fingerprint(self) -> str:
        """Hash the file."""
        return fingerprint([self.path], "misspellings")
