"""Pairs from a corpus that ships with the package."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from saccade.corpora.base import Corpus, Split
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader


class Embedded(Reader):
    """One split of an embedded corpus."""

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Corpus] = Part(Corpus, "english_french"),
        split: Split = "train",
    ) -> None:
        super().__init__(root)
        self.kind, self.split = corpus.kind, split
        self.corpus = corpus.build()

    def read(self) -> Iterator[Example]:
        """Yield the pairs as the corpus writes them."""
        for number, (source, target) in enumerate(self.corpus.pairs(self.split), start=1):
            yield Example(self._named(source), (target,), f"{self.kind}/{self.split}:{number}")

    def _named(self, source: str) -> dict[str, str]:
        names = self.corpus.names
        texts = source.split("\t") if len(names) > 1 else [source]
        return dict(zip(names, texts, strict=True))

    def fingerprint(self) -> str:
        """Hash the pairs."""
        total = hashlib.blake2b(b"embedded", digest_size=16)
        for source, target in self.corpus.pairs(self.split):
            total.update(f"{len(source)} {source}{target}\n".encode())
        return total.hexdigest()
