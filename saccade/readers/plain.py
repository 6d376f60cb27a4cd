"""Lines of text by themselves, for language models."""

from collections.abc import Iterator
from pathlib import Path

from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, numbered
from saccade.readers._remote import address
from saccade.readers.base import Reader


class Plain(Reader):
    """A UTF-8 file, plain or `.gz`, with one text a line; there is no source.

    Lines with nothing on them are skipped.
    """

    def __init__(self, root: Path, *, path: str = "") -> None:
        self.path = address(root, path)
        super().__init__(root, self.path)

    def read(self) -> Iterator[Example]:
        """Yield every line as a target."""
        for number, line in numbered(self.path):
            if line.strip():
                yield pair("", line, f"{self.path}:{number}")

    def fingerprint(self) -> str:
        """Hash the file."""
        return fingerprint([self.path], "plain")
