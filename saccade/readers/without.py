"""A corpus without what is also in others: for test sets that were taken from the training data."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from saccade.errors import DataError
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader


class Without(Reader):
    """Reads a corpus and leaves out what `others` hold.

    same: what makes an example one of theirs: `source`, `target`, or the whole `pair`.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "tsv"),
        others: list[Part[Reader]] = [],  # noqa: B006 - only read
        same: Literal["source", "target", "pair"] = "source",
    ) -> None:
        self.corpus = corpus.build(root)
        self.others = [other.build(root) for other in others]
        super().__init__(root, *(p for one in (self.corpus, *self.others) for p in one.paths))
        self.same = same

    def read(self) -> Iterator[Example]:
        """Yield what is the corpus's alone, in its order."""
        theirs = {self._key(example) for other in self.others for example in other.read()}
        left = False
        for example in self.corpus.read():
            if self._key(example) not in theirs:
                left = True
                yield example
        if not left:
            raise DataError(
                f"without: nothing is left: every {self.same} of the corpus is in the others too;"
                " expected some that are not. Check that they are different files."
            )

    def fingerprint(self) -> str:
        """Hash the corpus, the others, and what makes examples the same."""
        found = [reader.fingerprint() for reader in (self.corpus, *self.others)]
        text = f"without {self.same} {found}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _key(self, example: Example) -> tuple[str, ...]:
        key = {"source": (example.source,), "target": (example.target,)}
        return key.get(self.same, (example.source, example.target))
