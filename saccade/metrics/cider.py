"""Consensus with the references: n-grams weighed by how rare they are.

For training, `cider_d` scores many captions at once and needs no metric object:

    frequencies = document_frequencies(references_of_every_training_picture)      # once
    rewards = cider_d(captions, references, frequencies)                          # [N], 0 to 10

`captions[n]` is a text and `references[n]` is a list of texts. Words are what white space parts:
give both as `_captions.words` writes them, or as the model's own tokens, joined by a space. The
scale is that of pycocoevalcap; the metric's value is a hundred times that, as papers print it.
"""

import copy
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from saccade.errors import DataError
from saccade.metrics._captions import reading, words
from saccade.metrics.base import Metric, References, Score, Stats, as_lists

_ORDERS = 4
_SIGMA = 6.0

NGram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """How rare n-grams are: log(documents / those that hold the n-gram), 0 documents counting as 1.

    A document is all references of one picture.
    """

    documents: int
    rarity: Mapping[NGram, float]

    @property
    def unseen(self) -> float:
        """Return the rarity of an n-gram in no document."""
        return math.log(max(self.documents, 1))


@dataclass(frozen=True, slots=True)
class _Vector:
    """The tf-idf weights of one text for every order, their lengths, and the number of bigrams."""

    weights: tuple[dict[NGram, float], ...]
    norms: tuple[float, ...]
    bigrams: int


class Cider(Metric):
    """Average the cosine of tf-idf weighed n-grams with each reference: CIDEr-D.

        g(x)[w] = count of w in x * log(documents / documents with w)        w of n words, n <= 4
        CIDEr-D_n = 1/m sum over references r of
            exp(-(l_h - l_r)^2 / (2 * 6^2)) * (min(g(h), g(r)) . g(r)) / (|g(h)| |g(r)|)
        CIDEr-D = 10 * mean over n of CIDEr-D_n;     the value is 100 times its mean over segments

    Vedantam, Zitnick & Parikh 2015 (arXiv:1411.5726), section 3 and 3.1. As in pycocoevalcap, a
    document is the set of references of one segment, frequencies are those of the evaluated set,
    the length l counts bigrams, and words are not stemmed. A figure depends on the set: compare
    systems on the same one. The best is 1000, for a text of four words or more with one reference;
    where every n-gram is in every document, as in a set of one segment, all is 0.

    Words are as pycocoevalcap has them with `tokenize: captions`; see `bleu`.
    """

    name = "CIDEr-D"
    label: ClassVar[str] = "CIDEr-D (x 100)"
    higher_is_better = True

    def __init__(self, *, tokenize: Literal["captions", "none"] = "captions") -> None:
        self._tokenize = tokenize
        self._frequencies: DocumentFrequencies | None = None

    def fitted(self, references: References) -> Self:
        """Count in how many segments' references each n-gram is."""
        if self._frequencies is not None:
            return self
        rows = [[self._text(line) for line in row] for row in as_lists(references)]
        fitted = copy.copy(self)
        fitted._frequencies = document_frequencies(rows)
        return fitted

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return CIDEr-D of the segment, 0 to 10, and 1: `[2]`."""
        if self._frequencies is None:
            raise DataError(
                "CIDEr-D: one segment was given without a set; it weighs n-grams by the references"
                " of the whole set. Call `corpus`, or `fitted(references)` first."
            )
        lines = [self._text(line) for line in references]
        found = cider_d([self._text(hypothesis)], [lines], self._frequencies)
        return np.array([found[0], 1], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return 100 times the mean of the segments."""
        total, segments = summed.tolist()
        signature = f"{reading(self._tokenize)}|n:4|sigma:6|df:references|x100"
        detail = {"segments": segments}
        return Score(self.name, 100 * total / segments, signature, detail, self.higher_is_better)

    def _text(self, line: str) -> str:
        return " ".join(words(line, self._tokenize))


def document_frequencies(references: Iterable[Sequence[str]]) -> DocumentFrequencies:
    """Count in how many documents each n-gram is; a document is the references of one picture.

    >>> found = document_frequencies([["a dog", "the dog"], ["a cat"]])
    >>> found.documents, found.rarity[("a",)], round(found.rarity[("dog",)], 3)
    (2, 0.0, 0.693)
    """
    counts: Counter[NGram] = Counter()
    documents = 0
    for row in references:
        grams: dict[NGram, None] = {}
        for line in row:
            for order in _ngrams(line):
                grams |= dict.fromkeys(order)
        counts.update(grams.keys())
        documents += 1
    whole = math.log(max(documents, 1))
    rarity = {gram: whole - math.log(count) for gram, count in counts.items()}
    return DocumentFrequencies(documents, rarity)


def cider_d(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    frequencies: DocumentFrequencies,
) -> Stats:
    """Return CIDEr-D of every text against its own references, `[N]`, from 0 to 10."""
    known: dict[str, _Vector] = {}
    found = np.zeros(len(hypotheses), dtype=np.float64)
    for n, (hypothesis, row) in enumerate(zip(hypotheses, references, strict=True)):
        own, total = _vector(hypothesis, frequencies), 0.0
        for reference in row:
            other = known.get(reference)
            if other is None:
                other = known[reference] = _vector(reference, frequencies)
            total += _similarity(own, other)
        found[n] = 10 * total / max(len(row), 1)
    return found


def _ngrams(line: str) -> list[list[NGram]]:
    """Return the n-grams of a text, a list for every order."""
    parts = line.split()
    tails = [parts[n:] for n in range(_ORDERS)]
    return [list(zip(*tails[:n], strict=False)) for n in range(1, _ORDERS + 1)]


def _vector(line: str, frequencies: DocumentFrequencies) -> _Vector:
    rarity, unseen = frequencies.rarity, frequencies.unseen
    weights, norms = [], []
    orders = _ngrams(line)
    for grams in orders:
        row: dict[NGram, float] = {}
        for gram in grams:  # adding is counting: tf * idf
            row[gram] = row.get(gram, 0.0) + rarity.get(gram, unseen)
        weights.append(row)
        norms.append(math.sqrt(sum(value * value for value in row.values())))
    return _Vector(tuple(weights), tuple(norms), len(orders[1]))


def _similarity(own: _Vector, other: _Vector) -> float:
    """Return the mean over orders of clipped cosines, less for unequal lengths."""
    total = 0.0
    for n in range(_ORDERS):
        norm = own.norms[n] * other.norms[n]
        if norm == 0:
            continue
        weights, dot = other.weights[n], 0.0
        for gram, weight in own.weights[n].items():
            wanted = weights.get(gram)
            if wanted is not None:
                dot += (weight if weight < wanted else wanted) * wanted
        total += dot / norm
    distance = own.bigrams - other.bigrams
    return total / _ORDERS * math.exp(-(distance**2) / (2 * _SIGMA**2))
