"""What a reader is: a place where pairs are kept, read as Examples in a fixed order."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from saccade.nouns import Example


class Reader(ABC):
    """Reads pairs. A part's constructor takes `root` from the host; relative paths start there.

    paths: every file that it opens, or the folder where nothing lists them, so that they can be
    looked for, and named, before.
    """

    def __init__(self, root: Path, *paths: Path) -> None:
        self.root, self.paths = root, paths

    @abstractmethod
    def read(self) -> Iterator[Example]:
        """Yield every pair in order; raise DataError naming file and line for what is malformed."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Return a hash of the content; two readers that read the same have the same."""

    def count(self) -> int:
        """Return about how many pairs there are, for those who wait for them."""
        return sum(1 for _ in self.read())
