"""Sums and differences to work out digit by digit, between symbols that mean nothing."""

from collections.abc import Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_HELD_OUT = 1000
_SMALLEST_SPACE = 4  # pairs of fewer digits are too few to part
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Arithmetic(Corpus):
    """Additions and subtractions with distractors, and their results.

        3e36d9-h1h39f94eeh43keg3c  ->  -13991064         3369 - 13994433

    The arithmetic task of Jozefowicz, Zaremba & Sutskever 2015, section 4.1, as pairs: two whole
    numbers of up to `digits` digits are added or subtracted, and before each of their digits and
    the sign stand random letters, one at a time with probability `noise`. There is no other mark:
    the reader must find the numbers, keep them and carry. In the paper the result follows the
    expression in one sequence; here it is the target.
    """

    def __init__(
        self, *, seed: int = 1, size: int = 40000, digits: int = 4, noise: float = 0.4
    ) -> None:
        check_size("arithmetic", size)
        if digits < _SMALLEST_SPACE or not 0 <= noise < 1:
            raise RecipeError(
                f"arithmetic: found digits {digits} and noise {noise:g}; expected at least"
                f" {_SMALLEST_SPACE} digits, so that there are enough different sums, and a"
                " probability below 1. Change them."
            )
        self._seed, self._size = seed, size
        self._digits, self._noise = digits, noise

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (expression, result) pairs; a sum is in one split, however written."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            one, two = self._number(dice), self._number(dice)
            sign = dice.pick("+-")
            text = "".join(self._letters(dice) + mark for mark in f"{one}{sign}{two}")
            if text not in seen and split_of(f"{one}{sign}{two}") == split:
                seen.add(text)
                yield text, str(one + two if sign == "+" else one - two)

    def _number(self, dice: Dice) -> int:
        """Draw how many digits, then the digits; the first is not 0."""
        n = 1 + dice.below(self._digits)
        least = int(10 ** (n - 1))
        return least + dice.below(9 * least)

    def _letters(self, dice: Dice) -> str:
        letters = ""
        while dice.chance(self._noise):
            letters += dice.pick(_LETTERS)
        return letters
