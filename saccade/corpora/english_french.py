"""English to French from a small grammar written for this package: real agreement, real reordering.

Some 160 nouns, 110 verbs and 60 adjectives, with gender, elision, contraction,
clitic pronouns, negation, the compound past and relative clauses. One source has one target.
"""

from collections.abc import Iterator

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora._templates import sentence
from saccade.corpora.base import Corpus, Split, check_size

_HELD_OUT = 1000


class EnglishFrench(Corpus):
    """English sentences with their French translation, from a small grammar.

    A sentence belongs to a split by a hash of its English text, so the splits stay apart for every
    seed and size, and valid and test (1,000 pairs each) do not change with the size.
    """

    def __init__(self, *, seed: int = 1, size: int = 30000) -> None:
        check_size("english_french", size)
        self._seed = seed
        self._size = size

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (English, French) pairs of the split."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            english, french = sentence(dice)
            long_enough = english.count(" ") >= 2
            if long_enough and english not in seen and split_of(english) == split:
                seen.add(english)
                yield english, french
