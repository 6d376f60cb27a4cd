"""Nested tags to be closed: what an open beginning of an XML text still needs."""

from collections.abc import Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size
from saccade.errors import RecipeError

_HELD_OUT = 1000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST_NAME = 10
_MOST_MARKS = 20  # opened and closed in one text


class Xml(Corpus):
    """The beginning of an XML text, and the tags that close it.

        <etdomp><pegshmnaj></pegshmnaj><oku>  ->  </oku></etdomp>

    After the XML task of Jozefowicz, Zaremba & Sutskever 2015, section 4.1: names of 2 to 10 random
    letters, and at every mark the last open tag is closed or another is opened inside it, at most
    `depth` deep. In the paper the next symbol of the whole text is predicted, and half of that is
    guessing names; here only what the beginning decides is asked for. What was closed already must
    be forgotten, and what is open be written backwards.
    """

    def __init__(self, *, seed: int = 1, size: int = 20000, depth: int = 4) -> None:
        check_size("xml", size)
        if depth < 1:
            raise RecipeError(
                f"xml.depth: found {depth}; expected at least 1 tag that can be open; raise it."
            )
        self._seed, self._size, self._depth = seed, size, depth

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (beginning, closing tags) pairs."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            source, still_open = self._begin(dice)
            if source not in seen and split_of(source) == split:
                seen.add(source)
                yield source, "".join(f"</{name}>" for name in reversed(still_open))

    def _begin(self, dice: Dice) -> tuple[str, list[str]]:
        """Write a text up to a place where something is open."""
        text, still_open = "", list[str]()
        marks = 1 + dice.below(_MOST_MARKS)
        while marks > 0 or not still_open:
            full = len(still_open) == self._depth
            if still_open and marks > 1 and (full or dice.chance(0.5)):
                text += f"</{still_open.pop()}>"
            elif full:
                break
            else:
                still_open.append(_name(dice))
                text += f"<{still_open[-1]}>"
            marks -= 1
        return text, still_open


def _name(dice: Dice) -> str:
    return "".join(dice.pick(_LETTERS) for _ in range(2 + dice.below(_LONGEST_NAME - 1)))
