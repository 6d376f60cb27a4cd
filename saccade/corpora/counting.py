"""As many marks as there were letters: what can be done only by counting."""

from collections.abc import Iterator
from math import log2

from saccade.corpora._bits import between, distinct
from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_LETTERS = "acdefghijklmnopqrstuvwxyz"
_MOST_PLACES = 2000
_FEWEST = 12  # bits of the longest text: fewer make too few texts to part


class CountedLetters(Corpus):
    """Some letters, and as many times b.

        aca  ->  bbb

    The language of a^n b^n, in two halves: Gers & Schmidhuber 2001, "LSTM recurrent networks learn
    simple context-free and context-sensitive languages"; Weiss, Goldberg & Yahav 2018
    (arXiv:1805.04908). A letter is any of the first `letters` of the alphabet without b, so that
    there are many texts of one length; there are `shortest` to `longest` of them. Of one letter
    there is one text of a length, so that a split has all lengths that fall to it and no more,
    whatever `size` is.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        letters: int = 2,
        shortest: int = 1,
        longest: int = 30,
    ) -> None:
        check_size("counting", size)
        possible = 1 <= letters <= len(_LETTERS) and 1 <= shortest <= longest <= _MOST_PLACES
        if not possible or (letters > 1 and longest * log2(letters) < _FEWEST):
            raise RecipeError(
                f"counting: letters {letters}, shortest {shortest}, longest {longest}; expected 1"
                f" to {len(_LETTERS)} letters, lengths from 1 to {_MOST_PLACES} with the shortest"
                f" first, and of several letters {2**_FEWEST} texts or more of the longest. Change"
                " them."
            )
        self._seed, self._size, self._letters = seed, size, _LETTERS[:letters]
        self._lengths = shortest, longest

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (letters, as many marks)."""
        if len(self._letters) > 1:
            yield from distinct(self._seed, self._size, split, self._draw)
            return
        shortest, longest = self._lengths
        texts = (self._letters * n for n in range(shortest, longest + 1))
        yield from ((text, "b" * len(text)) for text in texts if split_of(text) == split)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n = between(dice, *self._lengths)
        return "".join(dice.pick(self._letters) for _ in range(n)), "b" * n
