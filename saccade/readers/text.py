"""Pairs in two files or more, one sentence a line."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._lines import fingerprint, numbered
from saccade.readers._remote import address
from saccade.readers.base import Reader


class Text(Reader):
    """Two UTF-8 files whose lines match, plain or `.gz`.

    Only a line feed ends a line; one carriage return before it is dropped. Empty lines are kept.
    `references` are further target files, which say the same in other words.
    """

    def __init__(
        self,
        root: Path,
        *,
        source: str = "",
        target: str = "",
        references: list[str] = [],  # noqa: B006 - only read
    ) -> None:
        self.source, self.target = address(root, source), address(root, target)
        self.references = [address(root, path) for path in references]
        super().__init__(root, self.source, self.target, *self.references)

    def read(self) -> Iterator[Example]:
        """Yield the lines; unequal numbers of them are found at the end of the shortest file."""
        files = [numbered(path) for path in self.paths]
        suspect = ""
        for n, rows in enumerate(zip_longest(*files), start=1):
            whole = [row[1] for row in rows if row is not None]
            if len(whole) < len(rows):
                lengths = [
                    n - 1 if row is None else n + sum(1 for _ in file)
                    for row, file in zip(rows, files, strict=True)
                ]
                raise DataError(self._unequal(lengths, suspect))
            source, *references = whole
            suspect = suspect or _suspicion(n, source, references[0])
            yield Example({SOURCE_NAME: source}, tuple(references), f"{self.source}:{n}")

    def fingerprint(self) -> str:
        """Hash all files."""
        return fingerprint(self.paths, "text")

    def _unequal(self, lengths: list[int], suspect: str) -> str:
        other = next(i for i, n in enumerate(lengths) if n != lengths[0])
        return (
            f"{self.source} has {lengths[0]} lines but {self.paths[other]} has {lengths[other]};"
            " line pairs must match."
            f" {suspect or 'No line stands out: look at the end of the longer file.'}"
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
