"""What paths through phrase options add up to, feature by feature, for tuning."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.heads._backoff import BackoffHead
from saccade.kernels.backoff import ROOT
from saccade.kernels.stack import Covered, PhraseOptions
from saccade.models._tuning import PhraseCandidates
from saccade.models.base import LaidSide
from saccade.tokenizers._vocabulary import END, START, UNK

Array = NDArray[Any]


def candidates(
    options: PhraseOptions, found: Sequence[Covered], language: BackoffHead, first: int
) -> PhraseCandidates:
    """Lay out all paths of sentences, numbered from `first`, with features in their usual order."""
    paths = [path for one in found for path in one.paths]
    sentences = np.repeat(first + np.arange(len(found)), [len(one.paths) for one in found])
    sizes = np.array([len(path) for path in paths], np.int64)
    option = np.array([o for path in paths for o in path], np.int64)
    owner = np.repeat(np.arange(len(paths)), sizes)
    texts = _texts(options, option, owner, len(paths))
    jump, words, turn = _jumps(options, option, owner)
    own = options.features[option].astype(np.float64)
    own[:, -3:] *= turn[:, None] == np.arange(3)
    rows = [jump, words, np.ones(len(option)), *own.T]
    summed = [np.bincount(owner, row, len(paths)) for row in rows]
    summed.insert(1, log_probs(language, texts))
    return PhraseCandidates(sentences, np.stack(summed, axis=1), _strange(texts))


def _jumps(options: PhraseOptions, option: Array, owner: Array) -> tuple[Array, Array, Array]:
    """Return of every phrase what it jumped over, below 0, its words, and its turn."""
    begin, stop = options.spans[option].T
    opening = np.diff(owner, prepend=-1) > 0
    before_begin = np.where(opening, 0, np.concatenate([[0], begin[:-1]])[: len(begin)])
    before_stop = np.where(opening, 0, np.concatenate([[0], stop[:-1]])[: len(stop)])
    turn = np.where(begin == before_stop, 0, np.where(stop == before_begin, 1, 2))
    words = options.begins[option + 1] - options.begins[option]
    return -np.abs(begin - before_stop).astype(float), words, turn


def _texts(options: PhraseOptions, option: Array, owner: Array, n: int) -> LaidSide:
    counts = options.begins[option + 1] - options.begins[option]
    before = np.cumsum(counts) - counts
    at = np.arange(int(counts.sum())) + np.repeat(options.begins[option] - before, counts)
    lengths = np.bincount(owner, counts, n).astype(np.int64)
    return LaidSide(options.words[at], lengths)


def _strange(texts: LaidSide) -> LaidSide:
    """Let an unknown word match nothing."""
    return LaidSide(np.where(texts.values == UNK, -1, texts.values), texts.lengths)


def log_probs(language: BackoffHead, texts: LaidSide) -> Array:
    """Return log p of whole texts, END included: `[n]`."""
    lengths = np.asarray(texts.lengths, np.int64)
    begins = np.cumsum(lengths) - lengths
    total = np.zeros(len(lengths))
    start = language.walk(torch.tensor([ROOT]), torch.tensor([START]))
    context = start.repeat(len(lengths))
    for k in range(int(lengths.max(initial=0)) + 1):
        at = np.flatnonzero(lengths >= k)
        inside = lengths[at] > k
        word = np.full(len(at), END, np.int64)
        word[inside] = texts.values[begins[at[inside]] + k]
        rows, words = torch.from_numpy(at), torch.from_numpy(word)
        total[at] += language.look_up(context[rows], words).double().numpy()
        context[rows] = language.walk(context[rows], words)
    return total
