"""Labels and black and white pictures: something to draw."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from saccade.errors import RecipeError
from saccade.modalities._picture import as_picture
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader


class Bitmaps(Reader):
    """Turns a corpus of pictures and labels around: the label is read, the picture is written.

        bit = 1 with probability brightness / 255            once and for all, by `seed`
        bit = 1 if brightness / 255 > threshold              if there is a threshold

    Drawn bits are the fixed binarisation of Salakhutdinov & Murray 2008 (their file has other
    draws). A picture has a row of bits a place: the modality `bits` with `fixed`.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "idx"),
        seed: int = 1,
        threshold: float = 0.0,
    ) -> None:
        if not 0 <= threshold < 1:
            raise RecipeError(
                f"bitmaps.threshold: found {threshold:g}; expected 0 to draw bits, or a share of"
                " brightness below 1. Change it."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.seed, self.threshold = seed, threshold

    def read(self) -> Iterator[Example]:
        """Yield label and picture."""
        for number, one in enumerate(self.corpus.read()):
            grey = as_picture(one.source, one.origin).pixels.mean(axis=2) / 255  # [H, W]
            if self.threshold:
                bits = grey > self.threshold
            else:
                chance = random.Random(f"{self.seed} {number}").getrandbits(64)
                bits = np.random.default_rng(chance).random(grey.shape) < grey
            yield pair(str(one.target), bits.astype(np.uint8), one.origin)

    def fingerprint(self) -> str:
        """Hash the corpus and how bits are made."""
        text = f"bitmaps {self.corpus.fingerprint()} {self.seed} {self.threshold}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def count(self) -> int:
        """Count what the corpus has."""
        return self.corpus.count()
