"""Classes of rare words: what an unknown word ends in, and whether it begins with a capital.

A class is one more symbol of a vocabulary, spelt with spaces, which no word has. So an unknown word
stays one symbol, and a model may say what words that end alike are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from saccade.tokenizers._symbols import END, MARK, UNK, UNKNOWN

LONGEST: Final = 10  # letters of the longest suffix: Brants 2000, section 2.3
_CLASS: Final = re.compile(r"<rare (a|A) (.*)>", re.DOTALL)
_FACTOR: Final = "￨"
_TWICE: Final = 2  # words that share a suffix, at least: one alone is no class


def suffix_classes(counts: Mapping[str, int], longest: int, rare: int) -> list[str]:
    """Name the classes of words that occur at most `rare` times, broader ones first.

    A suffix is kept if two of these words share it; so is the empty one of each case.

    >>> suffix_classes({"▁sing": 1, "▁ring": 2, "▁Rome": 1, "▁the": 90}, 2, 10)
    ['<rare A >', '<rare a >', '<rare a g>', '<rare a ng>']
    """
    found: Counter[tuple[str, str]] = Counter()
    for piece, n in counts.items():
        word = _word(piece)
        if word and n <= rare:
            found.update(_chain(word, longest))
    kept = [one for one, n in found.items() if n >= _TWICE or not one[1]]
    return [f"<rare {case} {end}>" for case, end in sorted(kept, key=lambda c: (len(c[1]), c))]


class SuffixClasses:
    """The classes of a vocabulary, found by their spelling.

    Args:
        pieces: all pieces, as the file spells them.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        matched = ((i, _CLASS.fullmatch(piece)) for i, piece in enumerate(pieces))
        self._ids = {(m[1], m[2]): i for i, m in matched if m}
        self._longest = max((len(end) for _, end in self._ids), default=0)

    def __bool__(self) -> bool:
        return bool(self._ids)

    def shown(self) -> dict[int, str]:
        """Return how each class looks in text: `⁇ing`."""
        return {i: MARK + UNKNOWN + end for (_, end), i in self._ids.items()}

    def of(self, piece: str) -> int:
        """Return the narrowest class of a word; UNK if it has none."""
        word = _word(piece)
        if not word:
            return UNK
        chain = reversed(list(_chain(word, self._longest)))
        return next((self._ids[one] for one in chain if one in self._ids), UNK)

    def broader(self, pieces: Sequence[str]) -> tuple[int, ...]:
        """Return for every piece the class that it belongs to; UNK of the broadest and of others.

        >>> pieces = ["<pad>", "<unk>", "<s>", "</s>", "▁sing", "<rare a >", "<rare a ng>"]
        >>> SuffixClasses(pieces).broader(pieces)
        (1, 1, 1, 1, 6, 1, 5)
        """
        own = {i: one for one, i in self._ids.items()}
        found = []
        for i, piece in enumerate(pieces):
            if i in own:
                case, end = own[i]
                shorter = ((case, end[k:]) for k in range(1, len(end) + 1))
                found.append(next((self._ids[one] for one in shorter if one in self._ids), UNK))
            else:
                found.append(self.of(piece) if i > END else UNK)
        return tuple(found)


def _word(piece: str) -> str:
    """Return the letters of a piece; nothing of a factor, which is no word."""
    return "" if piece.startswith(_FACTOR) else piece.removeprefix(MARK)


def _chain(word: str, longest: int) -> Iterable[tuple[str, str]]:
    """Return case and suffixes of a word, the empty one first."""
    case = "A" if word[0].isupper() else "a"
    return ((case, word[len(word) - k :]) for k in range(min(longest, len(word)) + 1))
