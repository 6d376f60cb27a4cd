"""Something said at the start of a long noise, to be remembered to its end."""

from collections.abc import Iterator

from saccade.corpora._bits import between, check_lengths, distinct, draw_place
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size


class Latch(Corpus):
    """A place of bits and many places of noise behind it; the first place is to be written.

        01101 10010 11010 ... 00110  ->  0110

    The last column marks the first place; in the noise it is 0. There are `shortest` to `longest`
    places of noise. The problem of Bengio, Simard & Frasconi 1994, "Learning long-term dependencies
    with gradient descent is difficult", with several bits.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        bits: int = 4,
        shortest: int = 5,
        longest: int = 40,
    ) -> None:
        check_size("latch", size)
        check_lengths("latch", bits, shortest, longest)
        self._seed, self._size, self._bits = seed, size, bits
        self._lengths = shortest, longest

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (a place and noise, the place)."""
        return distinct(self._seed, self._size, split, self._draw)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n, first = between(dice, *self._lengths), draw_place(dice, self._bits)
        noise = (f"{draw_place(dice, self._bits)}0" for _ in range(n))
        return " ".join([f"{first}1", *noise]), first
