"""Letters that are each held for a while, to be written once."""

from collections.abc import Iterator

from saccade.corpora._bits import between, distinct
from saccade.corpora._dice import Dice
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST_HELD, _MOST_LETTERS = 100, 2000
_HELD_OUT = 1000


class Held(Corpus):
    """Letters that last for several places, and the same letters once.

        aaaabbbbbbaaacccc  ->  abac

    `shortest` to `longest` letters of an alphabet of `letters`, each unlike the one before and held
    for `least` to `most` places, as sounds are in speech. Every letter stands in many places of a
    long input, so what stands there does not say which of them is next: the repeated content of
    Chorowski et al. 2015 (arXiv:1506.07503), section 1. valid and test have `held_out` pairs.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        size: int = 20000,
        letters: int = 8,
        shortest: int = 1,
        longest: int = 40,
        least: int = 3,
        most: int = 7,
        held_out: int = _HELD_OUT,
    ) -> None:
        check_size("held", size)
        _check(letters, (shortest, longest), (least, most), held_out)
        self._seed, self._size, self._n_held_out = seed, size, held_out
        self._letters = _LETTERS[:letters]
        self._lengths, self._times = (shortest, longest), (least, most)

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (letters held, the letters)."""
        return distinct(self._seed, self._size, split, self._draw, held_out=self._n_held_out)

    def _draw(self, dice: Dice) -> tuple[str, str]:
        said = ""
        for _ in range(between(dice, *self._lengths)):
            said += dice.pick([one for one in self._letters if one != said[-1:]])
        return "".join(one * between(dice, *self._times) for one in said), said


def _check(letters: int, lengths: tuple[int, int], times: tuple[int, int], held_out: int) -> None:
    """Refuse what cannot be, and sequences of which there are too few to part."""
    (shortest, longest), (least, most) = lengths, times
    problems = []
    if not 2 <= letters <= len(_LETTERS):
        problems.append(f"held.letters: found {letters}; expected 2 to {len(_LETTERS)}.")
    if not 1 <= shortest <= longest <= _MOST_LETTERS:
        problems.append(
            f"held: shortest {shortest}, longest {longest}; expected 1 to {_MOST_LETTERS} letters,"
            " the shortest first."
        )
    if not 1 <= least <= most <= _MOST_HELD:
        problems.append(
            f"held: least {least}, most {most}; expected 1 to {_MOST_HELD} places for a letter, the"
            " fewest first."
        )
    if not 1 <= held_out <= _HELD_OUT:
        problems.append(f"held.held_out: found {held_out}; expected 1 to {_HELD_OUT} pairs.")
    if not problems and (letters - 1) ** longest * (most - least + 1) ** longest < 1 << 14:
        problems.append(
            f"held: {letters} letters, at most {longest} of them, held for {least} to {most} places"
            f" make fewer than {1 << 14} inputs; expected more, so that splits can be apart. Raise"
            " longest."
        )
    if problems:
        raise RecipeError(problems)
