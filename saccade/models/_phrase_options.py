"""What the spans of given sentences may be written as, and how that is weighted."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.heads._backoff import BackoffHead
from saccade.kernels.backoff import ROOT, FusedTable
from saccade.kernels.stack import PhraseOptions
from saccade.models._phrase_table import COLUMNS, SCORES, TURNS, PhraseTable
from saccade.tokenizers._vocabulary import START, UNK

Array = NDArray[Any]
FEATURES = ("jumps", "language", "words", "phrases", *SCORES, *TURNS)
START_WEIGHTS = (1.0, 1.0, 1.0, 0.0, 0.4, 0.4, 0.6, 0.4, 0.5, 0.5, 0.5)
_STRANGE = -100.0  # of a word that no phrase translates
_USUAL_TURNS = np.log([0.8, 0.05, 0.15])  # of such a word


class Weighting(NamedTuple):
    """The weights by what they weigh."""

    jumps: float
    language: float
    words: float
    phrases: float
    scores: tuple[float, ...]
    turns: tuple[float, ...]

    @classmethod
    def of(cls, weights: Array) -> "Weighting":
        """Read them off in the order of FEATURES."""
        given = [float(one) for one in weights]
        jumps, language, words, phrases = given[:4]
        return cls(jumps, language, words, phrases, tuple(given[4:8]), tuple(given[8:]))


def fused(language: BackoffHead, weight: float) -> FusedTable:
    """Give a language model its weight; it begins behind START."""
    first = language.walk(torch.tensor([ROOT]), torch.tensor([START]))
    nothing = torch.zeros(language.size)
    return FusedTable(language.table, torch.arange(language.size), weight, nothing, int(first))


def guesses(table: PhraseTable, language: BackoffHead) -> Array:
    """Return what the language model says of each translation by itself: log p, `[N]`."""
    total = np.zeros(len(table.features), np.float32)
    lengths, context = np.diff(table.begins), torch.full((len(total),), ROOT)
    for k in range(int(lengths.max(initial=0))):
        at = np.flatnonzero(lengths > k)
        words = torch.from_numpy(table.words[table.begins[at] + k].astype(np.int64))
        some = torch.from_numpy(at)
        total[at] += language.look_up(context[some], words).numpy()
        context[some] = language.walk(context[some], words)
    return total


def options_of(
    ids: Array, lengths: Array, table: PhraseTable, size: int, longest: int
) -> tuple[Array, Array, Array]:
    """Find all translations of all spans of sentences `[B, S]`.

    Returns sentences, spans `[N, 2]` and numbers of translations in the order of sentence, first
    word, end and rank. A word that has no translation by itself has the number -1: it is unknown.
    """
    rows, places = ids.shape
    node = np.zeros((rows, places), np.int64)  # of the span that begins here; -1 if none does
    found = list[tuple[Array, Array, Array, Array]]()
    for length in range(1, min(longest, places) + 1):
        here = node[:, : places - length + 1]
        word = ids[:, length - 1 :]
        inside = np.arange(places - length + 1) + length <= lengths[:, None]
        key = here * size + word
        at = np.minimum(np.searchsorted(table.keys, key), len(table.keys) - 1)
        hit = inside & (here >= 0) & (table.keys[at] == key)
        node[:, : places - length + 1] = np.where(hit, at, -1)
        first, n = table.options[at], np.where(hit, table.options[at + 1] - table.options[at], 0)
        if length == 1:
            strange = inside & (n == 0)
            first, n = np.where(strange, -1, first), np.where(strange, 1, n)
        b, s = np.nonzero(n)
        count = n[b, s]
        before = np.cumsum(count) - count
        option = np.arange(int(count.sum())) + np.repeat(first[b, s] - before, count)
        b, s = np.repeat(b, count), np.repeat(s, count)
        found.append((b, s, s + length, option))
    b, s, e, option = (np.concatenate(one) for one in zip(*found, strict=True))
    order = np.lexsort((option, e, s, b))
    return b[order], np.stack([s, e], axis=1)[order], option[order]


def weighted(
    found: tuple[Array, Array, Array],
    lengths: Array,
    table: PhraseTable,
    weighting: Weighting,
    language: FusedTable,
    reach: int,
) -> PhraseOptions:
    """Lay options out with their weighted scores; sums go by column, whatever the batch."""
    rows, spans, option = found
    known = option >= 0
    features = np.zeros((len(option), len(COLUMNS)))
    features[:, len(SCORES) : -1] = _USUAL_TURNS
    features[known] = table.features[option[known]]
    count = np.ones(len(option), np.int64)
    count[known] = np.diff(table.begins)[option[known]]
    begins = np.concatenate([[0], np.cumsum(count)])
    words = np.full(int(count.sum()), UNK, np.int64)
    place = np.repeat(begins[:-1], count)
    inner = np.arange(len(words)) - place
    from_table = np.repeat(known, count)
    at = np.repeat(np.where(known, table.begins[np.maximum(option, 0)], 0), count) + inner
    words[from_table] = table.words[at[from_table]]
    scores = count * weighting.words + weighting.phrases
    for column, weight in enumerate(weighting.scores):
        scores = scores + features[:, column] * weight
    scores = np.where(known, scores, scores + _STRANGE)
    turns = features[:, len(SCORES) : -1] * np.array(weighting.turns)
    jumps = -np.arange(reach + 1) * weighting.jumps
    firsts = np.searchsorted(rows, np.arange(len(lengths) + 1))
    guess = features[:, -1] * weighting.language
    return PhraseOptions(
        lengths=lengths,
        firsts=firsts,
        spans=spans,
        begins=begins,
        words=words,
        scores=scores,
        guesses=guess,
        turns=turns,
        jumps=jumps,
        features=features[:, :-1],
        language=language,
    )


def laid(values: Tensor, mask: Tensor) -> tuple[Array, Array]:
    """Return words `[B, S]` and their number, of padded sources that end in END."""
    lengths = np.maximum(mask.sum(dim=1).numpy(force=True) - 1, 0)
    return values.numpy(force=True), lengths
