"""The pairs of a corpus that are neither too short nor too long."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader


class Lengths(Reader):
    """Reads the pairs whose texts have `least` to `most` words, parted by spaces.

    side: which text is counted: `source`, `target`, or the longer one of `both`.  most: 0 for no
    limit. To learn from short sentences and be tested on long ones, as in Bahdanau, Cho & Bengio
    2015 (arXiv:1409.0473), section 4.2.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "tsv"),
        least: int = 0,
        most: int = 0,
        side: Literal["source", "target", "both"] = "both",
    ) -> None:
        if least < 0 or (most and most < least):
            raise RecipeError(
                f"lengths: least is {least} and most {most}; expected 0 or more, and a most that is"
                " not below the least, or 0. Change them."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.least, self.most, self.side = least, most, side

    def read(self) -> Iterator[Example]:
        """Yield what has such a length, in its order."""
        left = False
        for example in self.corpus.read():
            n = self._words(example)
            if self.least <= n and (not self.most or n <= self.most):
                left = True
                yield example
        if not left:
            raise DataError(
                f"lengths: no pair of the corpus has {self.least} to {self.most or 'any number of'}"
                " words; expected some. Change least or most."
            )

    def fingerprint(self) -> str:
        """Hash the corpus and the limits."""
        text = f"lengths {self.least} {self.most} {self.side} {self.corpus.fingerprint()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _words(self, example: Example) -> int:
        texts = {"source": [example.source], "target": [example.target]}
        counted = texts.get(self.side, [example.source, example.target])
        for text in counted:
            if not isinstance(text, str):
                raise DataError(
                    f"lengths: found {type(text).__name__} to count words of; expected text."
                    " Count the other side: side: source or target."
                )
        return max(len(str(text).split()) for text in counted)
