"""Sentences in columns, one word a line: the files of the CoNLL tasks."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered
from saccade.readers._remote import address
from saccade.readers.base import Reader

FACTOR = "￨"  # U+FFE8, between a word and what is known about it


class Columns(Reader):
    """A UTF-8 file, plain or `.gz`: a word a line, columns parted by tabs or else by spaces.

    Columns count from 1. `source` are those of a word, joined by ￨ if several (`word￨POS`);
    `target` is its tag. A line with nothing on it ends a sentence. Lines that begin with `#` and a
    space, and words that are numbered `3-4` or `3.1` in the first column, as CoNLL-U has them, are
    skipped.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        source: list[int] = [1],  # noqa: B006 - only read
        target: int = 2,
    ) -> None:
        self.path, self.source, self.target = address(root, path), source, target
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield a sentence and its tags, parted by single spaces."""
        if not self.source or min(*self.source, self.target) < 1:
            raise DataError(
                f"{self.path}: columns {self.source} and {self.target} were asked for; columns"
                " count from 1. Change source or target of the reader."
            )
        words: list[tuple[str, str]] = []
        first = 0
        for number, line in numbered(self.path):
            if not line.strip():
                yield from self._sentence(words, first)
                words = []
            elif not _is_aside(line):
                first = first if words else number
                words.append(self._word(line, number))
        yield from self._sentence(words, first)

    def fingerprint(self) -> str:
        """Hash the file and which columns are read."""
        return fingerprint([self.path], "columns", self.source, self.target)

    def _sentence(self, words: list[tuple[str, str]], first: int) -> Iterator[Example]:
        if words:
            source, target = (" ".join(side) for side in zip(*words, strict=True))
            yield pair(source, target, f"{self.path}:{first}")

    def _word(self, line: str, number: int) -> tuple[str, str]:
        columns = line.split("\t") if "\t" in line else line.split()
        most = max(*self.source, self.target)
        if most > len(columns):
            raise DataError(
                f"{self.path}:{number}: no column {most}; the line has {len(columns)}. Mend the"
                " line or change the reader's source or target."
            )
        fields = [column.replace(" ", "_") for column in columns]
        return FACTOR.join(fields[i - 1] for i in self.source), fields[self.target - 1]


def _is_aside(line: str) -> bool:
    """Tell comments, and words of CoNLL-U that are made of others or left out of the text."""
    numbered_oddly = line.partition("\t")[0].replace("-", ".").partition(".")
    pair = numbered_oddly[0].isdecimal() and numbered_oddly[2].isdecimal()
    return line.startswith("# ") or ("\t" in line and pair)
