"""What an embedded corpus is: a seeded generator whose splits share no source sentence."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from saccade.errors import RecipeError

Split = Literal["train", "valid", "test"]
_LARGEST = 1_000_000


class Corpus(ABC):
    """Writes pairs of text. The same options give the same pairs, on every machine.

    names: of its sources; of several, the texts of a pair's source have tabs between them.
    """

    names: ClassVar[tuple[str, ...]] = ("source",)

    @abstractmethod
    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (source, target); no source of one split is in another."""


def check_size(corpus: str, size: int) -> None:
    """Refuse a number of training pairs that cannot be."""
    if not 1 <= size <= _LARGEST:
        raise RecipeError(
            f"{corpus}.size: found {size}; expected 1 to {_LARGEST} training pairs;"
            " give a number between them."
        )
