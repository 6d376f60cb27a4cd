"""Random bits with priorities, to be written in their order."""

from collections.abc import Iterator

from saccade.corpora._bits import between, check_lengths, distinct, draw_place
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_STEPS = 1000  # priorities have three digits


class PrioritySort(Corpus):
    """Vectors of bits, each with a priority, and the vectors by falling priority.

        0,1,1,0.2 1,0,1,-0.7 0,0,1,0.9  ->  001 011 101

    The priority sort task of Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4.5. The
    source is of the modality `numbers`: the bits, then a priority from -1 to 1; the target is of
    `bits`. The paper has 20 vectors and asks for the first 16; here all are to be written.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        bits: int = 8,
        shortest: int = 2,
        longest: int = 8,
    ) -> None:
        check_size("priority_sort", size)
        check_lengths("priority_sort", bits, shortest, longest)
        if longest > _STEPS:
            raise RecipeError(
                f"priority_sort.longest: found {longest}; expected up to {_STEPS}, as there are no"
                " more priorities that differ. Change it."
            )
        self._seed, self._size, self._bits = seed, size, bits
        self._lengths = shortest, longest

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (vectors with priorities, vectors in order)."""
        return distinct(self._seed, self._size, split, self._draw)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        n, rows = between(dice, *self._lengths), dict[float, str]()
        while len(rows) < n:
            priority = between(dice, -_STEPS, _STEPS) / _STEPS
            rows.setdefault(priority, draw_place(dice, self._bits))
        source = " ".join(f"{','.join(bits)},{priority:g}" for priority, bits in rows.items())
        return source, " ".join(bits for _, bits in sorted(rows.items(), reverse=True))
