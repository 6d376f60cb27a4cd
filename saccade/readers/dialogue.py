"""Dialogues, one a line: every turn but the first answers those before it."""

from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Dialogue(Reader):
    """A UTF-8 file, plain or `.gz`, with a dialogue a line and `separator` behind every turn.

        turns t[1..N]  ->  pairs (t[n-history] separator .. separator t[n-1], t[n]),  n = 2..N

    `data.source.separator` should name the same text. Reads `most` dialogues (0: all) behind the
    first `skip`, so that a file can be parted without parting a dialogue.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        separator: str = "__eou__",
        history: int = 3,
        skip: int = 0,
        most: int = 0,
    ) -> None:
        self.path = place(root, path)
        super().__init__(root, self.path)
        self.separator, self.history = separator, history
        self.skip, self.most = skip, most

    def read(self) -> Iterator[Example]:
        """Yield a pair for every turn that answers another."""
        if self.history < 1 or not self.separator:
            raise DataError(
                f"{self.path}: history {self.history} and separator '{self.separator}' leave"
                " nothing to answer; expected at least one turn and a text between turns. Change"
                " the reader's options."
            )
        found = False
        for number, line in numbered(self.path):
            if number > self.skip and (not self.most or number <= self.skip + self.most):
                for example in self._pairs(line, f"{self.path}:{number}"):
                    found = True
                    yield example
        if not found:
            raise DataError(
                f"{self.path}: no dialogue of two turns parted by '{self.separator}' in the lines"
                " asked for; expected some. Check separator, skip and most."
            )

    def fingerprint(self) -> str:
        """Hash the file and how it is read."""
        options = (self.separator, self.history, self.skip, self.most)
        return fingerprint([self.path], "dialogue", *options)

    def _pairs(self, line: str, where: str) -> Iterator[Example]:
        turns = [turn.strip() for turn in line.split(self.separator) if turn.strip()]
        for n in range(1, len(turns)):
            before = f" {self.separator} ".join(turns[max(n - self.history, 0) : n])
            yield pair(before, turns[n], f"{where} turn {n + 1}")
