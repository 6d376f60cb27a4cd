"""Who is in which room, and where things were put: stories to answer questions about."""

from collections.abc import Iterator
from typing import ClassVar

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size

_HELD_OUT = 1000
_PEOPLE = ("Ida", "Ben", "Nora", "Emil")
_ROOMS = ("kitchen", "garden", "cellar", "attic", "library", "workshop")
_THINGS = ("lamp", "letter", "hammer")
_MOVES = ("went to", "walked to", "hurried to", "came back to")
_TAKES, _DROPS = ("took", "picked up"), ("put down", "left")


class Rooms(Corpus):
    """Short stories of people, rooms and things, with a question and a one-word answer.

    A question asks where a person is, which one sentence says, or where a thing is, which takes
    two or three. In the manner of the first two bAbI tasks (Weston et al. 2015, arXiv:1502.05698),
    in words of its own. A story has 2 to `sentences` sentences.
    """

    names: ClassVar[tuple[str, ...]] = ("story", "question")

    def __init__(self, *, seed: int = 1, size: int = 10000, sentences: int = 10) -> None:
        check_size("rooms", size)
        self._seed, self._size, self._sentences = seed, size, max(sentences, 2)

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (story, tab, question; room) pairs of the split."""
        dice, seen = Dice(self._seed), set[str]()
        wanted = self._size if split == "train" else _HELD_OUT
        while len(seen) < wanted:
            text, answer = _told(dice, 2 + dice.below(self._sentences - 1))
            if answer and text not in seen and split_of(text) == split:
                seen.add(text)
                yield text, answer


def _told(dice: Dice, n: int) -> tuple[str, str]:
    """Tell a story of `n` sentences; return it with a question, and the answer."""
    rooms, holders, places = dict[str, str](), dict[str, str](), dict[str, str]()
    sentences: list[str] = []
    for _ in range(n):
        who = dice.pick(_PEOPLE)
        held = [thing for thing, holder in holders.items() if holder == who]
        free = [thing for thing in _THINGS if thing not in holders]
        free = [thing for thing in free if places.get(thing) in (None, rooms.get(who))]
        if who in rooms and free and dice.chance(0.3):
            thing = dice.pick(free)
            holders[thing] = who
            sentences.append(f"{who} {dice.pick(_TAKES)} the {thing}.")
        elif held and dice.chance(0.3):
            thing = dice.pick(held)
            del holders[thing]
            places[thing] = rooms[who]
            sentences.append(f"{who} {dice.pick(_DROPS)} the {thing}.")
        else:
            rooms[who] = dice.pick([room for room in _ROOMS if room != rooms.get(who)])
            sentences.append(f"{who} {dice.pick(_MOVES)} the {rooms[who]}.")
    known = {thing: rooms[who] for thing, who in holders.items()}
    known = {thing: room for thing, room in places.items() if thing not in known} | known
    if known and dice.chance(0.5):
        thing = dice.pick(sorted(known))
        return f"{' '.join(sentences)}\tWhere is the {thing}?", known[thing]
    who = dice.pick(sorted(rooms)) if rooms else ""
    return f"{' '.join(sentences)}\tWhere is {who}?", rooms.get(who, "")
