"""Words that are none: what a model of characters can write, and one of words cannot."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from saccade.errors import DataError
from saccade.metrics._text import case, tidy
from saccade.metrics.base import Metric, References, Score, Stats, as_lists


class InvalidWords(Metric):
    """Count the words of the outputs that nobody ever writes.

        invalid words = 100 * words that are in no list / words of the outputs

    Words stand between white space, without punctuation at their ends. The list is that of the file
    `words`: of every line what stands before a tab, as in the lexicon.tsv of a model folder or in
    any text; words of the references are valid too. Without a file only those of the references
    of the evaluated set are. A word may be valid and wrong.

    detail: `invalid`, `words`.
    """

    name = "invalid words"
    label: ClassVar[str] = "invalid words (in no list)"
    higher_is_better = False

    def __init__(self, *, words: str = "", lowercase: bool = False) -> None:
        self._file, self._lowercase = words, lowercase
        self._listed = self._read(words) if words else frozenset()
        self._is_fitted = False

    def fitted(self, references: References) -> Self:
        """Take the words of all references for valid."""
        if self._is_fitted:
            return self
        other = type(self)(lowercase=self._lowercase)
        lines = (line for row in as_lists(references) for line in row)
        other._file, other._listed = self._file, self._listed | self._all(lines)
        other._is_fitted = True
        return other

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return the invalid words and all words: `[2]`."""
        words = list(self._words(hypothesis))
        known = self._listed | self._all(references)
        return np.array([sum(word not in known for word in words), len(words)], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the invalid words in percent; 0 if there are no words."""
        invalid, words = summed.tolist()
        detail = {"invalid": invalid, "words": words}
        listed = Path(self._file).name if self._file else "references"
        signature = f"{case(lowercase=self._lowercase)}|norm:nfc|tok:whitespace|words:{listed}"
        value = 100 * invalid / max(words, 1.0)
        return Score(self.name, value, signature, detail, self.higher_is_better)

    def _read(self, place: str) -> frozenset[str]:
        try:
            lines = Path(place).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(
                f"invalid_words.words: {place} cannot be read as UTF-8 text: {error}; expected a"
                " file of words. Name another."
            ) from None
        return self._all(line.partition("\t")[0] for line in lines)

    def _all(self, lines: Iterable[str]) -> frozenset[str]:
        return frozenset(word for line in lines for word in self._words(line))

    def _words(self, text: str) -> Iterator[str]:
        for word in tidy(text, lowercase=self._lowercase).split():
            bare = word.strip(_marks(word))
            if bare:
                yield bare


def _marks(word: str) -> str:
    """Return the punctuation of a word."""
    return "".join(c for c in word if unicodedata.category(c)[0] == "P")
