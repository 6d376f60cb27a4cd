"""A part of a corpus in an order of chance: for splits that others have made by a seed."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader


class Shuffled(Reader):
    """Reads the examples `start` to `stop` of a corpus after `random.Random(seed).shuffle`.

    start: how many are left out before.  stop: the first that is not read; 0 reads to the end. Two
    parts of one corpus with one seed share nothing if their numbers do not overlap; but where an
    example stands twice in the corpus, they may share that. The whole corpus is held in memory.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "tsv"),
        seed: int = 0,
        start: int = 0,
        stop: int = 0,
    ) -> None:
        if start < 0 or (stop and stop <= start):
            raise RecipeError(
                f"shuffled: start is {start} and stop {stop}; expected 0 or more, and a stop behind"
                " the start, or 0. Change them."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.seed, self.start, self.stop = seed, start, stop

    def read(self) -> Iterator[Example]:
        """Yield the examples of this part in their new order."""
        examples = list(self.corpus.read())
        if len(examples) < max(self.stop, self.start + 1):
            raise DataError(
                f"shuffled: the corpus has {len(examples):,} examples, but start is {self.start:,}"
                f" and stop {self.stop:,}; expected so many. Change them."
            )
        random.Random(self.seed).shuffle(examples)
        yield from examples[self.start : self.stop or None]

    def fingerprint(self) -> str:
        """Hash the corpus, the seed and the numbers."""
        text = f"shuffled {self.corpus.fingerprint()} {self.seed} {self.start} {self.stop}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
