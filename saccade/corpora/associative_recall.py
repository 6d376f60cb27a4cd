"""Lists of items, one of which is asked for by the item before it."""

from collections.abc import Iterator

from saccade.corpora._bits import between, check_lengths, distinct, draw_place
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError


class AssociativeRecall(Corpus):
    """Items of random bits and one of them again; what came behind it is to be written.

        | a | b | c ? a  ->  b           an item is `places` places of bits

    The associative recall task of Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4.3:
    `shortest` to `longest` items of three places of six bits. Two more columns mark the place
    before an item, and the place before the one that is asked for.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        bits: int = 6,
        places: int = 3,
        shortest: int = 2,
        longest: int = 6,
    ) -> None:
        check_size("associative_recall", size)
        check_lengths("associative_recall", bits, shortest, longest, places)
        if shortest < 2 or not 1 <= places <= 100:
            raise RecipeError(
                f"associative_recall: shortest {shortest}, places {places}; expected 2 items or"
                " more, so that one comes behind another, of 1 to 100 places. Change them."
            )
        self._seed, self._size, self._bits, self._places = seed, size, bits, places
        self._lengths = shortest, longest

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (items and one of them, the next)."""
        return distinct(self._seed, self._size, split, self._draw)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n, items = between(dice, *self._lengths), list[tuple[str, ...]]()
        while len(items) < n:
            item = tuple(draw_place(dice, self._bits) for _ in range(self._places))
            if item not in items:
                items.append(item)
        asked = dice.below(n - 1)
        item_mark, query_mark = ("0" * self._bits + mark for mark in ("10", "01"))
        source = [
            text
            for mark, item in [*((item_mark, one) for one in items), (query_mark, items[asked])]
            for text in (mark, *(f"{place}00" for place in item))
        ]
        return " ".join(source), " ".join(items[asked + 1])
