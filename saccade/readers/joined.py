"""Neighbours of a corpus put together: longer texts from short ones."""

import hashlib
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from saccade.errors import RecipeError
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader


class Joined(Reader):
    """Reads `least`, ..., `most` neighbours as one pair, in turn, and then `least` again.

    Both sides are put together in the same order, with a space between. Every pair is read once;
    what is left at the end may be shorter.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "embedded"),
        least: int = 1,
        most: int = 4,
    ) -> None:
        if not 1 <= least <= most:
            raise RecipeError(
                f"joined: least {least} and most {most}; expected 1 <= least <= most. Change them."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.least, self.most = least, most

    def read(self) -> Iterator[Example]:
        """Yield the longer pairs, each with the origin of its first."""
        examples = self.corpus.read()
        for n in cycle(range(self.least, self.most + 1)):
            group = list(islice(examples, n))
            if not group:
                return
            source, target = (" ".join(side) for side in zip(*map(_sides, group), strict=True))
            yield pair(source, target, group[0].origin)

    def fingerprint(self) -> str:
        """Hash the corpus and how many are put together."""
        text = f"joined {self.least} {self.most} {self.corpus.fingerprint()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _sides(example: Example) -> tuple[str, str]:
    return example.source, example.target
