"""The words of other corpora, each paired with itself: a dictionary to learn to spell from."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")  # letters, with apostrophes between them


class Words(Reader):
    """Reads every word that occurs `min_count` times in `corpora`, in the order of first use.

    A word is a run of letters, lower-cased; source and target are both the word.
    side: where the words are taken from.  once: False reads each as often as it occurs.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpora: list[Part[Reader]] = [],  # noqa: B006 - only read
        side: Literal["source", "target", "both"] = "target",
        min_count: int = 1,
        once: bool = True,
    ) -> None:
        if not corpora:
            raise RecipeError(
                "words: no corpora; expected one reader or more. Name them, for example"
                " corpora: [{kind: plain, path: text.txt}]."
            )
        self.corpora = [corpus.build(root) for corpus in corpora]
        super().__init__(root, *(path for corpus in self.corpora for path in corpus.paths))
        self.side = side
        self.min_count, self.once = min_count, once

    def read(self) -> Iterator[Example]:
        """Yield the words, each with itself."""
        counts: Counter[str] = Counter()
        for corpus in self.corpora:
            for example in corpus.read():
                counts.update(_WORD.findall(self._text(example).lower()))
        found = [word for word, n in counts.items() if n >= self.min_count]
        if not found:
            raise DataError(
                f"words: no word occurs {self.min_count} times on the {self.side} side; expected"
                " some. Lower min_count, or take another side."
            )
        for number, word in enumerate(found, start=1):
            example = pair(word, word, f"word {number}")
            yield from repeat(example, 1 if self.once else counts[word])

    def fingerprint(self) -> str:
        """Hash the corpora and the options."""
        found = [corpus.fingerprint() for corpus in self.corpora]
        text = f"words {self.side} {self.min_count} {self.once} {found}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _text(self, example: Example) -> str:
        sides = {"source": example.source, "target": example.target}
        return str(sides.get(self.side, f"{example.source} {example.target}"))
