"""What a tokenizer is here: a way to learn a vocabulary of pieces from lines of text."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from saccade.vocab import Vocabulary


class Tokenizer(ABC):
    """Learns pieces. What it learned is a Vocabulary, which encodes, decodes and saves itself."""

    @abstractmethod
    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Learn from raw lines; `normalise` names what is done to text first, and is saved with it.

        The same lines in the same order give the same vocabulary.
        """
