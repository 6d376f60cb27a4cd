"""What a tokenizer is here: a way to learn a vocabulary of pieces from lines of text."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain

from saccade.tokenizers._vocabulary import Vocabulary


class Tokenizer(ABC):
    """Learns pieces. What it learned is a Vocabulary, which encodes, decodes and saves itself.

    dropout: the chance that a join is left out of a training text, for those that join.
    """

    dropout: float = 0.0

    @abstractmethod
    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Learn from raw lines; `normalise` names what is done to text first, and is saved with it.

        The same lines in the same order give the same vocabulary.
        """


def learn(
    tokenizer: Tokenizer,
    streams: Iterable[Iterable[str]],
    normalise: Sequence[str],
    *,
    most: int = 1_000_000,
) -> Vocabulary:
    """Learn from all streams, read one after the other, with at most `most` lines in memory."""
    return tokenizer.fit(evenly(chain.from_iterable(streams), most), normalise)


def evenly(lines: Iterable[str], most: int) -> list[str]:
    """Take at most `most` lines at equal distances, in one pass and without chance.

    The distance starts at 1 and doubles whenever too many lines are held.

    >>> evenly("abcdefghij", 4)
    ['a', 'e', 'i']
    """
    held: list[str] = []
    distance = 1
    for i, line in enumerate(lines):
        if i % distance:
            continue
        held.append(line)
        if len(held) > most:
            held = held[::2]
            distance *= 2
    return held
