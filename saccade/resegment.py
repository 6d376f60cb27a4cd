"""Cutting training texts into other pieces than the store holds, by a chance that can be repeated.

The ids in a store are those of byte-pair encoding with all its joins. Here words are cut again with
joins left out, as a function of the seed, the epoch and the pair: a run that is resumed cuts as if
it had not stopped.
"""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.vocab import UNK, Vocabulary

Ids = Sequence[int] | NDArray[Any]
_MOST = 100_000  # words whose characters are remembered


@final
class BpeDropout:
    """Byte-pair encoding where each join is left out by chance.

        tokens = characters;  again and again: of the joins that `tokens` allows, drop each with
        probability p and make the first that is left;  stop when none is left

    Provilkov, Emelianenko & Voita 2020 (arXiv:1910.13267), algorithm 1. p = 0 gives the pieces of
    the vocabulary itself, p = 1 characters. Whatever is drawn, the text is the same.
    """

    def __init__(self, vocabulary: Vocabulary, p: float) -> None:
        if not vocabulary.joins:
            raise RecipeError(
                f"tokenizer.dropout: {p} of the joins of a vocabulary without joins; expected one"
                " of byte-pair encoding. Set dropout to 0, or start from another folder."
            )
        self._p = p
        pieces = vocabulary.pieces(range(len(vocabulary)))
        self._id = {piece: i for i, piece in enumerate(pieces)}
        self._pieces, self._words = pieces, vocabulary.words
        self._joins = {
            (self._id[left], self._id[right]): (rank, self._id[left + right])
            for rank, (left, right) in enumerate(vocabulary.joins)
        }
        self._characters: dict[tuple[int, ...], list[int]] = {}

    def __call__(self, ids: Ids, chance: random.Random) -> list[int]:
        """Cut every word anew; an unknown character stays where it is and nothing joins it."""
        found: list[int] = []
        for word in self._split([int(i) for i in ids]):
            found.extend(self._join(self._spelled(word), chance))
        return found

    def _split(self, ids: list[int]) -> list[tuple[int, ...]]:
        words: dict[int, list[int]] = {}
        for number, i in zip(self._words(ids), ids, strict=True):
            words.setdefault(number, []).append(i)
        return [tuple(word) for word in words.values()]

    def _spelled(self, word: tuple[int, ...]) -> list[int]:
        """Return the characters of a word."""
        known = self._characters.get(word)
        if known is None:
            known = []
            for i in word:
                known.extend([UNK] if i == UNK else [self._id[c] for c in self._pieces[i]])
            if len(self._characters) < _MOST:
                self._characters[word] = known
        return known

    def _join(self, characters: list[int], chance: random.Random) -> list[int]:
        tokens = list(characters)
        while True:
            allowed = sorted(
                (*self._joins[pair], place)
                for place, pair in enumerate(itertools.pairwise(tokens))
                if pair in self._joins
            )
            left = next((join for join in allowed if chance.random() >= self._p), None)
            if left is None:
                return tokens
            _, joined, place = left
            tokens[place : place + 2] = [joined]


@dataclass(frozen=True, slots=True)
class Resegment:
    """Cuts both sides of a pair anew; a side without dropout stays as it is."""

    seed: int
    source: BpeDropout | None
    target: BpeDropout | None

    def __call__(self, epoch: int, pair: int, source: Ids, target: Ids) -> tuple[Ids, Ids]:
        """Return other ids of the same texts, the same ones for the same seed, epoch and pair."""
        chance = random.Random(f"{self.seed} {epoch} {pair}")
        return (
            self.source(source, chance) if self.source else source,
            self.target(target, chance) if self.target else target,
        )
