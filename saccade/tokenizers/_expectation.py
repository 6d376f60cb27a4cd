"""Probabilities of given pieces by expectation maximisation, in a fixed order of summation.

The library's unigram trainer visits words in an order that changes from process to process, and
its scores change with it. Its choice of pieces is kept; their probabilities are found again here.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ROUNDS: Final = 8
_MOST_CHARACTERS: Final = 2_000_000  # of the commonest words: enough, and memory stays bounded
_LEAST: Final = 0.01  # expected count of a piece that no likely cut uses


@dataclass(frozen=True, slots=True)
class _Group:
    """Words of one length n: how often each occurs `[W]`, and the piece at each span `[W]`."""

    length: int
    counts: NDArray[np.float64]
    spans: dict[tuple[int, int], NDArray[np.int64]]


def log_probabilities(pieces: Sequence[str], words: Counter[str]) -> list[float]:
    """Fit p to the words' cuts into pieces.

        E:  n(x) = sum over words w, cuts c of w of  count(w) P(c | w) count(x in c)
        M:  p(x) = n(x) / sum_y n(y)

    Kudo 2018 (arXiv:1804.10959), section 3.2. Starts from how often pieces occur as substrings.
    """
    index = {piece: i for i, piece in enumerate(pieces)}
    groups = _groups(index, words)
    expected = np.zeros(len(pieces) + 1)  # the last place is for spans that are no piece
    for group in groups:
        for ids in group.spans.values():
            expected += np.bincount(ids, group.counts, len(expected))
    for _ in range(_ROUNDS):
        scores = _scores(expected)
        expected = np.sum([_expected(group, scores) for group in groups], axis=0)
    return [float(score) for score in _scores(expected)[:-1]]


def _scores(expected: NDArray[np.float64]) -> NDArray[np.float64]:
    held = np.maximum(expected, _LEAST)
    scores: NDArray[np.float64] = np.log(held / held[:-1].sum())
    scores[-1] = -np.inf
    return scores


def _groups(index: dict[str, int], words: Counter[str]) -> list[_Group]:
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    room = _MOST_CHARACTERS
    for word in sorted(words, key=lambda w: (-words[w], w)):
        if all(character in index for character in word) and len(word) <= room:
            by_length[len(word)].append(word)
            room -= len(word)
    longest = max(map(len, index))
    return [_group(by_length[n], words, index, longest) for n in sorted(by_length)]


def _group(chosen: list[str], words: Counter[str], index: dict[str, int], longest: int) -> _Group:
    n, absent = len(chosen[0]), len(index)
    spans = {}
    for i in range(n):
        for j in range(i + 1, min(i + longest, n) + 1):
            ids = np.array([index.get(word[i:j], absent) for word in chosen], dtype=np.int64)
            if (ids < absent).any():
                spans[i, j] = ids
    return _Group(n, np.array([words[word] for word in chosen], dtype=np.float64), spans)


def _expected(group: _Group, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count pieces over all cuts, by the forward-backward recursions."""
    n = group.length
    forward = np.full((n + 1, len(group.counts)), -np.inf)  # [n + 1, W]
    backward = forward.copy()
    forward[0] = backward[n] = 0.0
    spans = sorted(group.spans)
    for i, j in spans:  # by start: all that ends at i was added before
        forward[j] = np.logaddexp(forward[j], forward[i] + scores[group.spans[i, j]])
    for i, j in sorted(spans, key=lambda span: -span[1]):
        backward[i] = np.logaddexp(backward[i], backward[j] + scores[group.spans[i, j]])
    total = np.zeros(len(scores))
    for (i, j), ids in group.spans.items():
        share = np.exp(forward[i] + scores[ids] + backward[j] - forward[n])
        total += np.bincount(ids, group.counts * share, len(scores))
    return total
