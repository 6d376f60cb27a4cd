"""Pairs given in place, for notebooks and tests."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError
from saccade.nouns import Example, pair
from saccade.readers.base import Reader


class Pairs(Reader):
    """A list of [source, target]."""

    def __init__(self, root: Path, *, pairs: list[list[str]] = []) -> None:  # noqa: B006 - only read
        super().__init__(root)
        self.pairs = pairs

    def read(self) -> Iterator[Example]:
        """Yield the pairs."""
        if not self.pairs:
            raise DataError("pairs: the list is empty; expected [source, target] pairs. Add some.")
        for number, entry in enumerate(self.pairs, start=1):
            if len(entry) != 2:
                raise DataError(
                    f"pairs:{number}: found {len(entry)} texts, {entry!r}; expected [source,"
                    " target]. Mend the entry."
                )
            yield pair(entry[0], entry[1], f"pairs:{number}")

    def fingerprint(self) -> str:
        """Hash the pairs."""
        content = json.dumps(["pairs", self.pairs]).encode()
        return hashlib.blake2b(content, digest_size=16).hexdigest()
