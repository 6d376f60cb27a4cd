"""Find the places of a word that somebody names: of the input, or of the output."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from saccade.errors import RecipeError, suggest
from saccade.tokenizers._vocabulary import MARK
from saccade.views.words import label

_NUMBERED = re.compile(r"(.+):(\d+)")
_LISTED = 24  # words that a message lists


class Spot(NamedTuple):
    """A word among places, from 0: its first place, and how many it has."""

    first: int
    n: int = 1


def find_word(word: str, pieces: Sequence[str], numbers: Sequence[int]) -> Spot | None:
    """Return where a word stands, or a piece of one; `it:2` is the second `it`. None if nowhere.

    Args:
        word: as it was typed.
        pieces: the labels of all places.
        numbers: which word each place belongs to.

    >>> find_word("cats", ["▁two", "▁ca", "ts"], [0, 1, 1])
    Spot(first=1, n=2)
    >>> find_word("a:2", ["a", "b", "a"], [0, 1, 2]), find_word("c", ["a"], [0])
    (Spot(first=2, n=1), None)
    """
    spots = _spots(word, pieces, numbers)
    if spots:
        return spots[0]
    numbered = _NUMBERED.fullmatch(word)
    spots = _spots(numbered[1], pieces, numbers) if numbered else []
    which = int(numbered[2]) if numbered else 1
    return spots[which - 1] if 1 <= which <= len(spots) else None


def _spots(word: str, pieces: Sequence[str], numbers: Sequence[int]) -> list[Spot]:
    """Return all places of a word, or, if it is none, of a piece."""
    starts = [i for i, n in enumerate(numbers) if not i or n != numbers[i - 1]]
    ends = [*starts[1:], len(numbers)]
    whole = [_spot(pieces, i, end) for i, end in zip(starts, ends, strict=True)]
    shown = [label("".join(pieces[spot.first : spot.first + spot.n])) for spot in whole]
    for same in (str.__eq__, lambda a, b: a.casefold() == b.casefold()):
        found = [spot for spot, one in zip(whole, shown, strict=True) if same(one, word)]
        if not found:
            found = [Spot(i) for i, one in enumerate(pieces) if same(label(one), word)]
        if found:
            return found
    return []


def _spot(pieces: Sequence[str], first: int, end: int) -> Spot:
    """Return the places of a word, without the space before it if that is a place."""
    first += pieces[first] == MARK and end - first > 1
    return Spot(first, end - first)


def unknown_word(word: str, known: Sequence[str]) -> RecipeError:
    """Say that a word is nowhere."""
    listed = list(dict.fromkeys(map(label, known)))
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return RecipeError(
        f"--word: '{word}' is not there, or not that often.{suggest(word, listed)} Expected one of:"
        f" {', '.join(listed[:_LISTED])}{more}. Name one, the second of its kind as it:2."
    )
