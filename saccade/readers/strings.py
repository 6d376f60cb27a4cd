"""Single words put together to strings, as digits to numbers of a telephone."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import DataError, RecipeError
from saccade.modalities._sound import SplicedSound
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.readers.base import Reader

_MOST_WORDS, _MOST_STRINGS, _MOST_GAP = 200, 1_000_000, 10.0


class Strings(Reader):
    """Reads `count` strings of `least` to `most` recordings of a corpus, one behind the other.

    Which ones is drawn from `seed` and the number of the string alone, so everybody gets the same.
    With `one_speaker` all words of a string are by one.  gap: up to so many seconds of silence
    between two words, and at both ends.  joiner: what stands between the words of the text.
    """

    def __init__(  # noqa: PLR0913 - all but one are options
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "sounds"),
        count: int = 1000,
        least: int = 2,
        most: int = 7,
        gap: float = 0.1,
        one_speaker: bool = True,
        joiner: str = " ",
        seed: int = 1,
    ) -> None:
        if not (1 <= least <= most <= _MOST_WORDS and 1 <= count <= _MOST_STRINGS):
            raise RecipeError(
                f"strings: least {least}, most {most} and count {count}; expected 1 <= least <="
                f" most <= {_MOST_WORDS} and a count of 1 to {_MOST_STRINGS}. Change them."
            )
        if not 0 <= gap <= _MOST_GAP:
            raise RecipeError(
                f"strings.gap: found {gap:g}; expected 0 to {_MOST_GAP:g} seconds. Change it."
            )
        self.corpus = corpus.build(root)
        super().__init__(root, *self.corpus.paths)
        self.n_strings, self.least, self.most, self.gap = count, least, most, gap
        self.one_speaker, self.joiner, self.seed = one_speaker, joiner, seed

    def read(self) -> Iterator[Example]:
        """Yield the strings."""
        words: dict[str, list[Example]] = {}
        for example in self.corpus.read():
            speaker = example.source.speaker if self.one_speaker else ""
            words.setdefault(speaker, []).append(example)
        if not words:
            raise DataError("strings: the corpus has no words; expected some. Check its reader.")
        speakers = sorted(words)
        for n in range(self.n_strings):
            chance = random.Random(f"{self.seed} {n}")
            known = words[speakers[chance.randrange(len(speakers))]]
            size = chance.randint(self.least, self.most)
            chosen = [known[chance.randrange(len(known))] for _ in range(size)]
            gaps = tuple(round(chance.uniform(0, self.gap), 4) for _ in range(size + 1))
            sound = SplicedSound(tuple(one.source for one in chosen), gaps)
            yield pair(sound, self.joiner.join(one.target for one in chosen), f"string:{n + 1}")

    def count(self) -> int:
        """Return how many strings there are."""
        return self.n_strings

    def fingerprint(self) -> str:
        """Hash the corpus and how strings are drawn."""
        options = (self.n_strings, self.least, self.most, self.gap, self.one_speaker, self.joiner)
        text = f"strings {options} {self.seed} {self.corpus.fingerprint()}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
