"""What any corpus has as targets, by itself: for language models of what another model writes."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader


class Targets(Reader):
    """Reads the targets of a corpus; there is no source.

    Every reference is an example, in the order of the corpus. So a language model learns from the
    texts that a model of pictures or sounds learns from, and from no others: `corpus` is what
    `data.train` of that model is.
    """

    def __init__(self, root: Path, *, corpus: Part[Reader] = Part(Reader, "tsv")) -> None:
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)

    def read(self) -> Iterator[Example]:
        """Yield every target."""
        for example in self.corpus.read():
            for target in example.references:
                yield pair("", target, example.origin)

    def fingerprint(self) -> str:
        """Hash the corpus."""
        text = f"targets {self.corpus.fingerprint()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
