"""A corpus that is read again in every epoch, and encoded while the model learns."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from saccade.errors import RecipeError
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers._head import FirstRows, outline
from saccade.readers.base import Reader
from saccade.readers.shards import Shards


class Streamed(Reader):
    """A corpus for `data.train` that is never encoded as a whole: nothing of it is kept on disk.

    An epoch reads the files of `corpus` in an order of chance, and mixes `buffer` pairs at a time.
    Vocabularies and all else that is known before training come from `sample` pairs: the first of
    each file, as many of each. Under another key of `data` it reads like its corpus.

    Args:
        root: where relative paths start.
        corpus: what to read; the files of the reader `shards` are taken one by one.
        buffer: pairs in memory that are mixed.
        sample: pairs that are read before training.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "shards"),
        buffer: int = 100_000,
        sample: int = 200_000,
    ) -> None:
        for name, value in (("buffer", buffer), ("sample", sample)):
            if value < 2:
                raise RecipeError(
                    f"streamed: {name} is {value}; expected at least 2 pairs. Raise it."
                )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.buffer, self.sample = buffer, sample

    @property
    def shards(self) -> Sequence[Reader]:
        """The readers of all files of the corpus, or the corpus itself."""
        return self.corpus.readers if isinstance(self.corpus, Shards) else [self.corpus]

    def head(self) -> FirstRows:
        """Return a reader of the sample."""
        return FirstRows(self.root, self.shards, self.sample)

    def read(self) -> Iterator[Example]:
        """Yield every pair in the order of the corpus."""
        return self.corpus.read()

    def fingerprint(self) -> str:
        """Hash sizes, first and last bytes of all files: they are not read as a whole."""
        return outline(self.paths)
