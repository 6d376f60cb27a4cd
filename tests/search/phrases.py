"""Small sentences with phrase options of their own, and every way to cover them."""

from collections.abc import Iterator

import numpy as np
import torch

from saccade.heads._backoff import BackoffHead
from saccade.kernels.stack import PhraseOptions
from saccade.models._kneser_ney import estimate
from saccade.models._phrase_options import fused

SIZE, END = 9, 3


def language(seed: int = 1, size: int = SIZE) -> BackoffHead:
    """Count a trigram model of noise."""
    chance = np.random.Generator(np.random.PCG64(seed))
    head = BackoffHead(1, size, None)
    head.put(estimate(chance.integers(4, size, 80), np.full(16, 5), size, 3).table)
    return head


def options(
    lengths: list[int], seed: int = 1, reach: int = 2, weight: float = 0.7
) -> PhraseOptions:
    """Make options for sentences of so many words: two of each word, one of most pairs of words."""
    chance = np.random.Generator(np.random.PCG64(seed))
    spans, rows = list[tuple[int, int]](), list[int]()
    for row, n in enumerate(lengths):
        for begin in range(n):
            for end in range(begin + 1, min(begin + 3, n) + 1):
                count = 2 if end == begin + 1 else int(chance.integers(0, 2))
                spans += [(begin, end)] * count
                rows += [row] * count
    n = len(spans)
    sizes = chance.integers(1, 3, n)
    features = np.round(-chance.gamma(2.0, 0.5, (n, 7)), 2)
    return PhraseOptions(
        lengths=np.array(lengths, np.int64),
        firsts=np.searchsorted(rows, np.arange(len(lengths) + 1)),
        spans=np.array(spans, np.int64).reshape(-1, 2),
        begins=np.concatenate([[0], np.cumsum(sizes)]),
        words=chance.integers(4, SIZE, int(sizes.sum())),
        scores=features[:, :4].sum(axis=1),
        guesses=np.round(-chance.gamma(2.0, 0.5, n), 2),
        turns=features[:, 4:],
        jumps=-0.3 * np.arange(reach + 1),
        features=features,
        language=fused(language(), weight),
    )


def derivations(given: PhraseOptions, row: int = 0) -> Iterator[list[int]]:
    """List all ways to cover a sentence: no jump passes more words than the limit.

    Behind a phrase that leaves a gap, the first gap must be within reach.
    """
    n, reach = int(given.lengths[row]), len(given.jumps) - 1
    every = range(given.firsts[row], given.firsts[row + 1])

    def grow(path: list[int], covered: frozenset[int], last: int) -> Iterator[list[int]]:
        if len(covered) == n:
            yield path
            return
        gap = min(set(range(n)) - covered)
        for o in every:
            begin, end = given.spans[o].tolist()
            if abs(begin - last) > reach or covered & set(range(begin, end)):
                continue
            if begin != gap and end - gap > reach:
                continue
            yield from grow([*path, o], covered | set(range(begin, end)), end)

    return grow([], frozenset(), 0)


def text_of(given: PhraseOptions, path: list[int]) -> list[int]:
    """Return the words of a path."""
    return [word for o in path for word in given.target(o)]


def score_of(given: PhraseOptions, path: list[int], head: BackoffHead | None = None) -> float:
    """Add up what a path scores, by the head of the language model."""
    total, last = 0.0, (0, 0)
    for o in path:
        begin, end = given.spans[o].tolist()
        turn = 0 if begin == last[1] else 1 if end == last[0] else 2
        total += given.scores[o] + given.turns[o, turn] + given.jumps[abs(begin - last[1])]
        last = (begin, end)
    context = torch.tensor([given.language.start])
    head = head or language()
    for word in [*text_of(given, path), END]:
        total += given.language.weight * head.look_up(context, torch.tensor([word])).item()
        context = head.walk(context, torch.tensor([word]))
    return float(total)
