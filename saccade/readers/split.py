"""A part of any corpus: for data that comes without a split of its own."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from saccade.errors import RecipeError
from saccade.modalities._picture import PictureFile
from saccade.modalities._sound import SoundFile, SplicedSound
from saccade.nouns import Example, Raw
from saccade.parts import Part
from saccade.readers.base import Reader


class Split(Reader):
    """Reads the part of a corpus whose source texts fall into one share of a hash.

        u = hash(source) in [0, 1);   test: u < t;   valid: t <= u < t + v;   train: the rest

    Pairs with the same source go to the same part, so no source of one part is in another, and a
    corpus that grows keeps its parts. Features behind a tab do not count: forms of one lemma stay
    together. `data.train`, `data.valid` and `data.test` name the same `corpus` with the same
    shares.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "tsv"),
        part: Literal["train", "valid", "test"] = "train",
        valid: float = 0.01,
        test: float = 0.01,
    ) -> None:
        if valid < 0 or test < 0 or valid + test >= 1:
            raise RecipeError(
                f"split: valid {valid:g} and test {test:g} are shares; expected numbers from 0 on"
                " that leave something to train on."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.part = part
        self.bounds = {"test": (0.0, test), "valid": (test, test + valid)}
        self.bounds["train"] = (test + valid, 1.0)

    def read(self) -> Iterator[Example]:
        """Yield the pairs of this part, in the order of the corpus."""
        low, high = self.bounds[self.part]
        for example in self.corpus.read():
            if low <= share(_key(example.source)) < high:
                yield example

    def fingerprint(self) -> str:
        """Hash the corpus and the part's bounds."""
        text = f"{self.corpus.fingerprint()} {self.part} {self.bounds[self.part]}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _key(source: Raw) -> str:
    """Return what decides the part: of a picture or a sound its content, whatever it is called."""
    files = PictureFile | SoundFile | SplicedSound
    return source.digest if isinstance(source, files) else str(source)


def share(text: str) -> float:
    """Map a text to a number in [0, 1), evenly and the same on every machine.

    What follows a tab does not count, so that all forms of a lemma are in one part.
    """
    lemma = text.partition("\t")[0]
    digest = hashlib.blake2b(lemma.encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") / (1 << 48)
