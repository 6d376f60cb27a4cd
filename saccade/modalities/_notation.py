"""How the values of one side are shown to people: names of places, text in and out.

This is all that a prediction needs of a modality. It imports no numpy, which takes a while.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from saccade.modalities._copying import slot_words
from saccade.nouns import Raw
from saccade.tokenizers._vocabulary import END, MARK, Vocabulary

Values: TypeAlias = Any  # ids, or an array: what a model reads or has written
_STAND_INS = {
    "picture": "[picture]",
    "film": "[clip]",
    "spectrogram": "[sound]",
    "strokes": "[strokes]",
}


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """Places that are times: each lasts so many seconds, the first begins at `start`.

    seconds: how long all of it lasts.  levels: an array `[S]`, how loud each place is, in decibels.
    """

    each: float
    start: float
    seconds: float
    levels: Values


class Notation(ABC):
    """Raw values and arrays of one side as people see them.

    vocabulary: the pieces of text, None for everything else.  view: the module of `views` that
    draws attention over such a source.  chart: the one that draws such an output, if there is one.
    ends: whether what is written tells itself where it ends; otherwise somebody says how far to go.
    limit: pixels each way of the largest picture that is read, or how high a line that a pen writes
    is; 0 if nobody says.
    """

    vocabulary: Vocabulary | None = None
    view: ClassVar[str] = "heatmap"
    chart: str = ""
    ends: ClassVar[bool] = True
    limit: int = 0

    @property
    def stand_in(self) -> str:
        """What a line shows in the place of a raw value that is a picture file as text."""
        return _STAND_INS.get(self.view, "")

    def skipped(self, raw: Raw) -> int:
        """Return how many places at the beginning of a raw value a model does not read."""
        return 0

    def words(self, values: Values) -> list[int]:
        """Number the word that each place belongs to; places that form no words stand alone."""
        return list(range(len(values)))

    def units(self, values: Values) -> list[int]:
        """Number what alignments link and the page shows: words, unless pieces are characters."""
        return self.words(values)

    def order(self, values: Values) -> list[int]:
        """Return the places in the order in which a reader meets them."""
        return list(range(len(values)))

    @abstractmethod
    def decode(self, values: Values) -> Raw:
        """Turn what a model wrote into a raw value."""

    @abstractmethod
    def labels(self, raw: Raw, values: Values) -> tuple[str, ...]:
        """Name the places that a model can look at, in order; () if they form a grid."""

    @abstractmethod
    def read(self, text: str, where: str = "input") -> Raw:
        """Read a raw value from text, as it stands on a command line or in a request."""

    @abstractmethod
    def write(self, raw: Raw) -> str:
        """Write a raw value as text; the inverse of `read`."""

    def shown(self, raw: Raw) -> str:
        """Write what a model sees of a raw value, for a view to draw over."""
        return self.write(raw)

    def clock(self, values: Values) -> Clock | None:
        """Return when the places of a source are; None if they are no times."""
        return None

    def take(self, raw: Raw, where: str = "input") -> Raw:
        """Return a raw value that is no text as it is to stand beside its output."""
        return raw


class TextNotation(Notation):
    """Text, cut into the pieces of a vocabulary."""

    vocabulary: Vocabulary

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def words(self, values: Values) -> list[int]:
        """Number the word that each piece belongs to."""
        return self.vocabulary.words(values)

    def units(self, values: Values) -> list[int]:
        """Number the words, or the characters where they are the pieces."""
        return self.vocabulary.units(values)

    def order(self, values: Values) -> list[int]:
        """Return the places in the order of the text."""
        return self.vocabulary.order(values)

    def decode(self, values: Values) -> str:
        """Join pieces to text."""
        return self.vocabulary.decode([int(i) for i in values])

    def labels(self, raw: Raw, values: Values) -> tuple[str, ...]:
        """Show every piece, with ▁ where a word begins, and END."""
        ids = [*(int(i) for i in values), END]
        words = slot_words(self.vocabulary, raw)
        return self.vocabulary.pieces(ids, slots_filled(self.vocabulary, ids, words))

    def read(self, text: str, where: str = "input") -> str:
        """Return the text as it is."""
        return text

    def write(self, raw: Raw) -> str:
        """Return the text as it is."""
        return str(raw)


def slots_filled(
    vocabulary: Vocabulary, ids: Sequence[int], words: Sequence[str]
) -> Mapping[int, str]:
    """Return the words that slots stand for, by their place among `ids`."""
    word = dict(zip(vocabulary.slots, words, strict=False))
    return {t: as_word(word[i]) for t, i in enumerate(ids) if i in word}


def as_word(cut: str) -> str:
    """Mark the beginning of a word; a punctuation mark stays with what is before it."""
    bare = cut.removeprefix(MARK)
    return MARK + bare if bare[:1].isalnum() else cut
