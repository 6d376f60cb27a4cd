"""Words that a pen writes, point by point."""

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Literal

from saccade.corpora._dice import Dice
from saccade.corpora._letters import ALPHABET
from saccade.corpora._lexicon import AFTER, BEFORE, MEN, NOUNS, WOMEN
from saccade.corpora._pen import written
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError
from saccade.modalities._strokes import Strokes, to_text

_HELD_OUT = 1000
_SHORTEST, _LONGEST = 7, 60
Task = Literal["write", "read"]


class Handwriting(Corpus):
    """Short texts with the strokes of a pen that writes them: `four keys`, `Emma!`, `1984`.

    Words of the English-French corpus, names, numbers and marks, in a single-stroke alphabet that
    is drawn in the package. Every text has a hand of its own: slant, size, width, spacing, speed,
    joined letters or not, and a tremble. No text of one split is in another. `longest` is the most
    characters of a text, spaces included.

    With `task: write` the source is the text and the target the strokes; with `task: read` it is
    the other way round.
    """

    def __init__(
        self, *, seed: int = 1, size: int = 8000, longest: int = 12, task: Task = "write"
    ) -> None:
        check_size("handwriting", size)
        if not _SHORTEST <= longest <= _LONGEST:
            raise RecipeError(
                f"handwriting.longest: found {longest}; expected {_SHORTEST} to {_LONGEST}"
                " characters. Change it."
            )
        self._seed, self._size, self._longest, self._task = seed, size, longest, task

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield (text, strokes), or (strokes, text)."""
        dice = Dice(self._seed)
        seen: set[str] = set()
        while len(seen) < (self._size if split == "train" else _HELD_OUT):
            text = _said(dice)
            if text in seen or len(text) > self._longest or split_of(text) != split:
                continue
            seen.add(text)
            drawn = _drawn(text, self._seed)
            yield (text, drawn) if self._task == "write" else (drawn, text)


@lru_cache(maxsize=1 << 15)  # a corpus is read several times before training begins
def _drawn(text: str, seed: int) -> str:
    return to_text(written_by(text, seed))


def written_by(text: str, seed: int) -> Strokes:
    """Write a text; it and the seed decide on the hand."""
    odd = sorted(set(text) - set(ALPHABET))
    if odd or not text.strip():
        found = f"has {odd[0]!r}" if odd else "is empty"
        raise RecipeError(
            f"handwriting: the text {found}; expected some of {ALPHABET[1:]}. Leave the rest out."
        )
    key = blake2b(f"{seed} {text}".encode(), digest_size=7).digest()
    return written(text, Dice(int.from_bytes(key, "big")))


_THINGS = sorted(
    {w for kind in NOUNS.values() for noun in kind for w in (noun.english, noun.english_plural)}
)
_QUALITIES = sorted(
    {one.english for table in (BEFORE, AFTER) for kind in table.values() for one in kind}
)
_NAMES = [*MEN, *WOMEN]
_MARKS = ("", "", "", "", "", ".", ",", "!", "?", ":")


def _said(dice: Dice) -> str:
    """Draw a text: a thing, a thing with its quality or number, a name, a number."""
    form = dice.below(10)
    if form < 4:
        text = dice.pick(_THINGS)
    elif form < 6:
        text = f"{dice.pick(_QUALITIES)} {dice.pick(_THINGS)}"
    elif form < 7:
        text = f"{dice.below(100)} {dice.pick(_THINGS)}"
    elif form < 8:
        text = f"{dice.pick(_NAMES)}'s {dice.pick(_THINGS)}"
    elif form < 9:
        text = str(dice.below(10_000))
    else:
        text = f"{dice.pick(_THINGS)}-{dice.pick(_THINGS)}"
    case = dice.below(10)
    text = text.upper() if case == 0 else text[:1].upper() + text[1:] if case < 4 else text
    return text + dice.pick(_MARKS)
