"""Cutting training texts into other pieces than the store holds, by a chance that can be repeated.

The ids in a store are those of byte-pair encoding with all its joins. Here words are cut again with
joins left out, as a function of the seed, the epoch and the pair: a run that is resumed cuts as if
it had not stopped.
"""

import itertools
import random
from collections.abc import Sequence
from typing import Any, final

from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.tokenizers._vocabulary import UNK, Vocabulary

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
        self._p, self._vocabulary = p, vocabulary
        self._pieces = vocabulary.pieces(range(len(vocabulary)))
        self._id = {piece: i for i, piece in enumerate(self._pieces)}
        self._joins = {
            (self._id[left], self._id[right]): (rank, self._id[left + right])
            for rank, (left, right) in enumerate(vocabulary.joins)
        }
        self._known: dict[tuple[int, ...], list[list[int]]] = {}

    def __call__(self, ids: Ids, chance: random.Random) -> list[int]:
        """Cut every word anew; an unknown character stays where it is and nothing joins it."""
        found: list[int] = []
        for word in self._words([int(i) for i in ids]):
            for characters in self._spelled(word):
                found.extend(self._joined(characters, chance, self._p))
        return found

    def _words(self, ids: list[int]) -> list[tuple[int, ...]]:
        words: dict[int, list[int]] = {}
        for number, i in zip(self._vocabulary.words(ids), ids, strict=True):
            words.setdefault(number, []).append(i)
        return [tuple(word) for word in words.values()]

    def _spelled(self, word: tuple[int, ...]) -> list[list[int]]:
        """Return the characters of a word, in parts that joins do not reach across."""
        known = self._known.get(word)
        if known is None:
            known = self._parts(word)
            if len(self._known) < _MOST:
                self._known[word] = known
        return known

    def _parts(self, word: tuple[int, ...]) -> list[list[int]]:
        """Cut as the vocabulary cuts; where an unknown character hides how, at every piece."""
        pieces = [[UNK] if i == UNK else [self._id[c] for c in self._pieces[i]] for i in word]
        characters = iter([i for piece in pieces for i in piece])
        cuts = self._vocabulary.cut("".join(self._pieces[i] for i in word))
        parts = [list(itertools.islice(characters, len(cut))) for cut in cuts]
        whole = [i for part in parts for i in self._joined(part, random.Random(0), 0.0)]
        return parts if whole == list(word) else pieces

    def _joined(self, characters: list[int], chance: random.Random, p: float) -> list[int]:
        tokens = list(characters)
        while True:
            allowed = sorted(
                (*self._joins[pair], place)
                for place, pair in enumerate(itertools.pairwise(tokens))
                if pair in self._joins
            )
            left = next((join for join in allowed if chance.random() >= p), None)
            if left is None:
                return tokens
            _, joined, place = left
            tokens[place : place + 2] = [joined]
