"""Sequences of random bits to be written several times."""

from collections.abc import Iterator

from saccade.corpora._bits import between, check_lengths, distinct, draw_place
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError


class RepeatCopy(Corpus):
    """Random bits and how often to write them, and the bits so many times.

        0110 1010 ... then 3  ->  0110 1010 0110 1010 0110 1010

    The repeat copy task of Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4.2, where the
    number is a value on a channel of its own. Here it is written in binary in the last place of the
    source, which the last column marks: `01100 10100 00111` is 0110 1010, three times. The model
    must know by itself when it is done.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        bits: int = 8,
        shortest: int = 1,
        longest: int = 10,
        fewest: int = 1,
        most: int = 10,
    ) -> None:
        check_size("repeat_copy", size)
        check_lengths("repeat_copy", bits, shortest, longest)
        if not 1 <= fewest <= most < 2**bits:
            raise RecipeError(
                f"repeat_copy: fewest {fewest}, most {most} with {bits} bits; expected 1 or more,"
                f" the fewest first, and less than {2**bits:,}, which is all that {bits} bits can"
                " say. Change them."
            )
        self._seed, self._size, self._bits = seed, size, bits
        self._lengths, self._repeats = (shortest, longest), (fewest, most)

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (bits and a number, the bits so many times)."""
        return distinct(self._seed, self._size, split, self._draw)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n, times = between(dice, *self._lengths), between(dice, *self._repeats)
        places = [draw_place(dice, self._bits) for _ in range(n)]
        source = [*(f"{place}0" for place in places), f"{times:0{self._bits}b}1"]
        return " ".join(source), " ".join(places * times)
