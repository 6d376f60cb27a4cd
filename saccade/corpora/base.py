"""What an embedded corpus is: a seeded generator whose splits share no source sentence."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Literal

Split = Literal["train", "valid", "test"]


class Corpus(ABC):
    """Writes pairs of text. The same options give the same pairs, on every machine."""

    @abstractmethod
    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (source, target); no source of one split is in another."""
