"""Pictures somewhere on a larger canvas, among pieces of others: something to look for."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from saccade.errors import DataError, RecipeError
from saccade.modalities._picture import MOST, Picture, as_picture
from saccade.modalities._png import Pixels
from saccade.nouns import Example, Raw, pair
from saccade.parts import Part
from saccade.readers.base import Reader


class Scattered(Reader):
    """Lays every picture of a corpus on a black canvas at a place of chance.

        pixel = max over all that lies there

    Mnih et al. 2014 (arXiv:1406.6247), section 4.1: translated MNIST has a `canvas` of 60 and no
    clutter; cluttered MNIST has `clutter` 4, pieces of `piece` x `piece` pixels of other pictures,
    anywhere. `versions`: how often each picture comes, each time at another place. Chance depends
    on `seed`, the number of the picture and the version, so all who read it see the same. The box
    of the picture goes with it. The corpus is held in memory.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "idx"),
        canvas: int = 60,
        clutter: int = 0,
        piece: int = 8,
        versions: int = 1,
        seed: int = 1,
    ) -> None:
        _check(canvas, clutter, piece, versions)
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.canvas, self.clutter, self.piece = canvas, clutter, piece
        self.versions, self.seed = versions, seed

    def read(self) -> Iterator[Example]:
        """Yield all pictures once, then all again at other places."""
        examples = list(self.corpus.read())
        raws = [example.source for example in examples]
        for version in range(self.versions):
            for number, one in enumerate(examples):
                chance = random.Random(f"{self.seed} {version} {number}")
                yield pair(self._laid(raws, number, chance, one.origin), one.target, one.origin)

    def fingerprint(self) -> str:
        """Hash the corpus and the options."""
        options = (self.canvas, self.clutter, self.piece, self.versions, self.seed)
        text = f"scattered {self.corpus.fingerprint()} {options}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def count(self) -> int:
        """Count every version."""
        return self.versions * self.corpus.count()

    def _laid(self, raws: Sequence[Raw], number: int, chance: random.Random, where: str) -> Picture:
        canvas = np.zeros((self.canvas, self.canvas, 3), dtype=np.uint8)
        pixels = as_picture(raws[number], where).pixels
        if max(pixels.shape) > self.canvas:
            raise DataError(
                f"{where}: the picture has {pixels.shape[1]} x {pixels.shape[0]} pixels; expected"
                f" at most {self.canvas} each way. Make the reader's canvas larger."
            )
        top, left = _put(canvas, pixels, chance)
        for _ in range(self.clutter):
            other = as_picture(raws[chance.randrange(len(raws))], where).pixels
            _put(canvas, _cut(other, self.piece, chance), chance)
        box = (left, top, left + pixels.shape[1], top + pixels.shape[0])
        return Picture(canvas, {"picture": box})


def _put(canvas: Pixels, pixels: Pixels, chance: random.Random) -> tuple[int, int]:
    """Lay pixels somewhere on the canvas; return the row and column where they begin."""
    height, width = pixels.shape[:2]
    top = chance.randint(0, canvas.shape[0] - height)
    left = chance.randint(0, canvas.shape[1] - width)
    there = canvas[top : top + height, left : left + width]
    np.maximum(there, pixels, out=there)
    return top, left


def _cut(pixels: Pixels, size: int, chance: random.Random) -> Pixels:
    """Cut a square out of a picture."""
    top, left = (chance.randint(0, max(side - size, 0)) for side in pixels.shape[:2])
    return pixels[top : top + size, left : left + size]


def _check(canvas: int, clutter: int, piece: int, versions: int) -> None:
    limits = {
        "canvas": (canvas, 1, MOST),
        "clutter": (clutter, 0, 1000),
        "piece": (piece, 1, canvas),
        "versions": (versions, 1, 1000),
    }
    problems = [
        f"scattered.{name}: found {found}; expected {least} to {most}. Change it."
        for name, (found, least, most) in limits.items()
        if not least <= found <= most
    ]
    if problems:
        raise RecipeError(problems)
