"""Sequences of random bits to be written again."""

from collections.abc import Iterator

from saccade.corpora._bits import between, check_lengths, distinct, draw_place
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size


class Copy(Corpus):
    """Random bits, and the same bits.

        0110 1010 0001  ->  0110 1010 0001

    The copy task of Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4.1: `shortest` to
    `longest` places of 8 bits. Ask for longer sequences in a test split to see what was learned.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        bits: int = 8,
        shortest: int = 1,
        longest: int = 20,
    ) -> None:
        check_size("copy", size)
        check_lengths("copy", bits, shortest, longest)
        self._seed, self._size, self._bits = seed, size, bits
        self._lengths = shortest, longest

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (bits, the same bits)."""
        return distinct(self._seed, self._size, split, self._draw)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n = between(dice, *self._lengths)
        text = " ".join(draw_place(dice, self._bits) for _ in range(n))
        return text, text
