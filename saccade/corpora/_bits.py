"""Rows of random bits, and what corpora of them have in common."""

from collections.abc import Callable, Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Split
from saccade.errors import RecipeError

_HELD_OUT = 1000
_FEWEST = 12  # bits of the longest sequence: fewer make too few sequences to part
_MOST_BITS, _MOST_PLACES = 64, 2000


def draw_place(dice: Dice, n_bits: int) -> str:
    """Draw the bits of one place, each one or nought."""
    return "".join(dice.pick("01") for _ in range(n_bits))


def between(dice: Dice, least: int, most: int) -> int:
    """Draw a whole number from `least` to `most`."""
    return least + dice.below(most - least + 1)


def distinct(
    seed: int,
    size: int,
    split: Split,
    draw: Callable[[Dice], tuple[str, str]],
    held_out: int = _HELD_OUT,
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a split whose sources are all different: `size` to train on, or `held_out`."""
    dice, seen = Dice(seed), set[str]()
    wanted = size if split == "train" else held_out
    while len(seen) < wanted:
        source, target = draw(dice)
        if source not in seen and split_of(source) == split:
            seen.add(source)
            yield source, target


def check_lengths(corpus: str, bits: int, shortest: int, longest: int, each: int = 1) -> None:
    """Refuse lengths that cannot be, or of which there are too few sequences; `each` places."""
    fits = 1 <= bits <= _MOST_BITS and 1 <= shortest <= longest <= _MOST_PLACES
    if not fits or bits * longest * each < _FEWEST:
        raise RecipeError(
            f"{corpus}: bits {bits}, shortest {shortest}, longest {longest}; expected 1 to"
            f" {_MOST_BITS} bits, lengths from 1 to {_MOST_PLACES} with the shortest first, and"
            f" {_FEWEST} bits or more in the longest. Change them."
        )
