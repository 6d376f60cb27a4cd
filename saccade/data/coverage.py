"""How much of new data a vocabulary that was learned elsewhere does not know."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from saccade.data.codecs import TARGET
from saccade.data.prepare import Prepared
from saccade.data.store import Store
from saccade.nouns import Raw
from saccade.readers.base import Reader
from saccade.tokenizers._vocabulary import UNK, Vocabulary

_LOOKED = 20_000  # texts in which the unknown pieces are looked up
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Unknown:
    """What a vocabulary does not know of one side of the training data.

    unit: what its pieces are called.  frequent: the most frequent of the unknown ones with their
    counts, in a sample if there is much data.
    """

    side: str
    unit: str
    unknown: int
    pieces: int
    frequent: tuple[tuple[str, int], ...]

    def told(self, base: Path) -> str:
        """Warn of it; `base` is the folder whose vocabulary it is."""
        shown = ", ".join(f"{text!r} ({n:,})" for text, n in self.frequent)
        effect = "cannot be written" if self.side == TARGET else "all look the same to the model"
        return (
            f"Warning: {self.side}: {self.unknown:,} of {self.pieces:,} {self.unit}"
            f" ({self.unknown / self.pieces:.2%}) of the training data are not in the vocabulary of"
            f" {base} and {effect}. Most frequent: {shown}. To learn them, train without --from."
        )


def unknown_pieces(prepared: Prepared, sides: Iterable[str]) -> list[Unknown]:
    """Count the unknown pieces of the training data; sides that have none are left out.

    Args:
        prepared: the data, encoded.
        sides: those whose vocabulary was taken over.
    """
    found = []
    for side in sides:
        vocabulary = prepared.codecs.sides[side].vocabulary
        n_unknown, n_pieces = _counts(prepared.train, side) if vocabulary else (0, 0)
        if vocabulary and n_unknown:
            every = max(1, sum(map(len, prepared.train)) // _LOOKED)
            texts = islice(_texts(prepared.readers, side), 0, None, every)
            unit = "words" if vocabulary.whole_words else "pieces"
            frequent = _frequent(vocabulary, texts)
            found.append(Unknown(side, unit, n_unknown, n_pieces, frequent))
    return found


def _counts(stores: Sequence[Store], side: str) -> tuple[int, int]:
    values = [store.flat(side) for store in stores]
    return sum(int(np.count_nonzero(one == UNK)) for one in values), sum(map(len, values))


def _texts(readers: Iterable[Reader], side: str) -> Iterator[Raw]:
    for reader in readers:
        for example in reader.read():
            yield from example.references if side == TARGET else (example.sources[side],)


def _frequent(vocabulary: Vocabulary, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    separator = vocabulary.reading.separator
    counts: Counter[str] = Counter()
    for text in texts:
        for turn in text.split(separator) if separator else (text,):
            counts.update(vocabulary.unknown(turn))
    return tuple(counts.most_common(_SHOWN))
