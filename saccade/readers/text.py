"""Pairs in two files, one sentence a line."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader


class Text(Reader):
    """Two UTF-8 files whose lines match, plain or `.gz`.

    Only a line feed ends a line; one carriage return before it is dropped. Empty lines are kept.
    """

    def __init__(self, root: Path, *, source: str = "", target: str = "") -> None:
        self.source, self.target = place(root, source), place(root, target)
        super().__init__(root, self.source, self.target)

    def read(self) -> Iterator[Example]:
        """Yield the pairs; unequal numbers of lines are found at the end of the shorter file."""
        sources, targets = numbered(self.source), numbered(self.target)
        suspect = ""
        for left, right in zip_longest(sources, targets):
            if left is None or right is None:
                n, longer = (right[0], targets) if left is None else (left[0], sources)
                more = n + sum(1 for _ in longer)
                counts = (n - 1, more) if left is None else (more, n - 1)
                raise DataError(self._unequal(counts, suspect))
            (number, source), (_, target) = left, right
            suspect = suspect or _suspicion(number, source, target)
            yield pair(source, target, f"{self.source}:{number}")

    def fingerprint(self) -> str:
        """Hash both files."""
        return fingerprint([self.source, self.target], "text")

    def _unequal(self, counts: tuple[int, int], suspect: str) -> str:
        return (
            f"{self.source} has {counts[0]} lines but {self.target} has {counts[1]}; line pairs"
            f" must match. {suspect or 'No line stands out: look at the end of the longer file.'}"
        )


def _suspicion(number: int, source: str, target: str) -> str:
    """Say what is odd about a pair that may be out of step."""
    short, long = sorted((len(source.strip()), len(target.strip())))
    if short == 0 < long:
        side = "target" if source.strip() else "source"
        return f"Line {number} is the first that is empty on one side, the {side}: look there."
    if long > 5 * short:
        return (
            f"Line {number} is the first where one side is over 5 times longer"
            f" ({len(source)} and {len(target)} characters): look there."
        )
    return ""
