"""What a user's pairs are like: counted once, before anything is chosen."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from saccade.nouns import Example

MOST = 1_000_000  # examples that are counted
_LOOKED = 20_000  # of them whose text is looked at
_FEATURES = "\t"  # stands between a source and its features


@dataclass(frozen=True, slots=True)
class SideSurvey:
    """One side of the pairs: means per text, and what occurs at all."""

    characters: float
    words: float
    longest: int
    """Characters of the text that only one in a hundred exceeds."""
    longest_words: int
    distinct: int
    word_types: int
    repeated: float
    """How often a word occurs on average."""
    alphabet: frozenset[str]

    @property
    def characters_per_word(self) -> float:
        """How long a word is."""
        return max(self.characters - self.words + 1, 1.0) / max(self.words, 1.0)


@dataclass(frozen=True, slots=True)
class Survey:
    """All pairs together.

    matched: every target has as many words as its source.  copied: the share of target words that
    stand in their own source.  featured: sources carry features behind a tab.
    """

    pairs: int
    sources: int
    source: SideSurvey
    target: SideSurvey
    matched: bool
    copied: float
    featured: bool

    @property
    def shared(self) -> float:
        """The share of the letters of the target that the source has too."""
        letters = {c for c in self.target.alphabet if c.isalpha()}
        return len(letters & self.source.alphabet) / max(len(letters), 1)

    def told(self) -> str:
        """Say how long texts are."""
        return (
            f"Sources have {self.source.characters:.0f} characters, targets"
            f" {self.target.characters:.0f} on average"
        )


def survey(examples: Iterable[Example]) -> Survey:
    """Count pairs and look at the text of the first 20,000; at most a million are read."""
    looked, n, sources = list[Example](), 0, set[int]()
    for example in islice(examples, MOST):
        if n < _LOOKED:
            looked.append(example)
        sources.add(hash(example.source))
        n += 1
    given = [str(example.source) for example in looked]
    read = [text.partition(_FEATURES)[0] for text in given]
    written = [str(example.target) for example in looked]
    return Survey(
        n,
        len(sources),
        _text(read),
        _text(written),
        all(len(a.split()) == len(b.split()) for a, b in zip(read, written, strict=True)),
        _copied(read, written),
        sum(_FEATURES in text for text in given) > len(given) / 2,  # a text may hold a tab
    )


def _text(texts: list[str]) -> SideSurvey:
    words, letters = Counter[str](), set[str]()
    for text in texts:
        words.update(text.split())
        letters.update(text)
    characters = np.array([len(text) for text in texts] or [0])
    lengths = np.array([len(text.split()) for text in texts] or [0])
    return SideSurvey(
        float(characters.mean()),
        float(lengths.mean()),
        int(np.percentile(characters, 99)),
        int(np.percentile(lengths, 99)),
        len(set(texts)),
        len(words),
        words.total() / max(len(words), 1),
        frozenset(letters),
    )


def _copied(sources: list[str], targets: list[str]) -> float:
    here = total = 0
    for source, target in zip(sources, targets, strict=True):
        known = set(source.split())
        words = target.split()
        here += sum(word in known for word in words)
        total += len(words)
    return here / max(total, 1)
