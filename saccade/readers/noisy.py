"""A corpus with slips of the pen in its sources: more examples for models that mend them."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import RecipeError
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader


class Noisy(Reader):
    """Reads a corpus `copies` times over, each time with other slips in the source.

    Every character is, with probability `rate`, left out, doubled, changed places with the next
    one, replaced, or preceded by another, all equally likely; strange characters are drawn from the
    corpus's own, as often as they occur. Features behind a tab stay as they are.
    What comes out is a function of `seed` and the corpus. Belinkov & Bisk 2018 (arXiv:1711.02173).
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "tsv"),
        copies: int = 1,
        rate: float = 0.1,
        seed: int = 0,
    ) -> None:
        if copies < 1 or not 0 <= rate <= 1:
            raise RecipeError(
                f"noisy: copies {copies} and rate {rate}; expected 1 or more copies and a rate"
                " from 0 to 1. Change them."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.copies, self.rate, self.seed = copies, rate, seed

    def read(self) -> Iterator[Example]:
        """Yield every pair with slips in its source, copy after copy."""
        examples = list(self.corpus.read())
        texts = (example.source.partition("\t")[0] for example in examples)
        letters = "".join(text.replace(" ", "") for text in texts) or "?"
        chance = random.Random(self.seed)
        for _ in range(self.copies):
            for example in examples:
                text, tab, features = example.source.partition("\t")
                source = self._slip(text, letters, chance) + tab + features
                yield pair(source, example.target, example.origin)

    def fingerprint(self) -> str:
        """Hash the corpus and the options."""
        text = f"noisy {self.copies} {self.rate} {self.seed} {self.corpus.fingerprint()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _slip(self, text: str, letters: str, chance: random.Random) -> str:
        written, rest = "", text
        while rest:
            first, rest = rest[0], rest[1:]
            if chance.random() >= self.rate:
                written += first
                continue
            strange, swapped = chance.choice(letters), rest[:1] + first
            slip = chance.choice(("", first + first, swapped, strange, strange + first))
            if slip is swapped:
                rest = rest[1:]
            written += slip
        return written if written.strip() else text
