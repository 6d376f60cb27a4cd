"""Choosing weights so that the best of many candidates are close to references: minimum error rate.

Och 2003. No loop goes over candidates: those of all sentences stand in one array.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.models.base import LaidSide

Array = NDArray[Any]
ORDER = 4  # words of the longest n-grams of BLEU
_STATS = 2 * ORDER + 2  # matched and written n-grams of each length, words written, words wanted
_STARTS = 2  # points to start from in a round, of which the first is where the last round ended
_RANDOM = 5  # directions beside the axes
_MOST_SWEEPS = 4  # through all directions, from one point
_LEAST = 0.02  # of BLEU: what a sweep must gain to be followed by another
_SEED = 1  # of the points and directions that are tried
_PATIENCE = 2  # rounds without a gain
_EDGE = 1.0  # how far a step goes at most; weights add up to 1 without their signs


class PhraseCandidates(NamedTuple):
    """Texts that were found for sentences.

    sentences: `[N]`, which sentence each belongs to, ascending; the best of a sentence is first.
    features: `[N, F]`.  texts: their words.
    """

    sentences: Array
    features: Array
    texts: LaidSide


class Tuned(NamedTuple):
    """The weights, how close the outputs they lead to are to the references, and after each round.

    bleu, rounds: 0 to 100.
    """

    weights: Array
    bleu: float
    rounds: list[float]


def tune(
    decode: Callable[[Array], PhraseCandidates],
    references: LaidSide,
    weights: Array,
    rounds: int,
    positive: int,
) -> Tuned:
    """Decode, choose weights by all candidates found so far, and again; return the best weights.

    A round that found new candidates goes half of the way to its choice: there may be more, and
    the first lists are too short to be trusted with all of it.

    Args:
        decode: returns the best candidates for weights.
        references: of each sentence; a word below 0 matches nothing.
        weights: to begin with.
        rounds: how often to choose weights.
        positive: the number of the weight that may not fall below 0.
    """
    chance = np.random.Generator(np.random.PCG64(_SEED))
    pool = _Pool(references)
    weights = normal(weights)
    best, told, idle = (weights, -1.0), list[float](), 0
    for step in range(rounds + 1):
        found = decode(weights)
        fresh = pool.add(found)
        told.append(pool.first_bleu(found))
        idle = 0 if told[-1] > best[1] + _LEAST else idle + 1
        if told[-1] > best[1]:
            best = weights, told[-1]
        if step == rounds or idle == _PATIENCE:
            break
        chosen = _choose(pool.laid(), weights, positive, chance)
        weights = normal(weights + chosen) if fresh else chosen
    return Tuned(*best, told)


def normal(weights: Array) -> Array:
    """Scale weights so that they add up to 1 without their signs."""
    return np.asarray(weights, np.float64) / max(float(np.abs(weights).sum()), 1e-12)


class _Laid(NamedTuple):
    """All candidates, `[S, N, ...]`: features, statistics, and which are there."""

    features: Array
    stats: Array
    there: Array


class _Pool:
    """The candidates of all rounds, each once."""

    def __init__(self, references: LaidSide) -> None:
        self.references = references
        self.features, self.stats = np.zeros((0, 0)), np.zeros((0, _STATS), np.int64)
        self.sentences = np.zeros(0, np.int64)

    def add(self, found: PhraseCandidates) -> int:
        """Take candidates in; return how many were not there yet."""
        stats = statistics(found, self.references)
        before = len(self.sentences)
        features = found.features.astype(np.float64)
        if before:
            features = np.concatenate([self.features, features])
        sentences = np.concatenate([self.sentences, found.sentences])
        stats = np.concatenate([self.stats, stats])
        rows = np.concatenate([sentences[:, None], np.round(features, 6), stats], axis=1)
        _, kept = np.unique(rows, axis=0, return_index=True)
        kept = kept[np.lexsort((kept, sentences[kept]))]
        self.features, self.stats, self.sentences = features[kept], stats[kept], sentences[kept]
        return len(kept) - before

    def first_bleu(self, found: PhraseCandidates) -> float:
        """Return the BLEU of the first candidates of all sentences."""
        first = np.flatnonzero(np.diff(found.sentences, prepend=-1))
        some = PhraseCandidates(
            found.sentences[first], found.features[first], found.texts.rows(first)
        )
        return float(bleu(statistics(some, self.references).sum(axis=0)))

    def laid(self) -> _Laid:
        """Lay candidates out by sentence."""
        names, n = np.unique(self.sentences, return_counts=True)
        row = np.repeat(np.arange(len(names)), n)
        place = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
        shape = (len(names), int(n.max(initial=1)))
        features = np.zeros((*shape, self.features.shape[1]))
        stats, there = np.zeros((*shape, _STATS)), np.zeros(shape, bool)
        features[row, place], stats[row, place], there[row, place] = (
            *(self.features, self.stats),
            True,
        )
        return _Laid(features, stats, there)


def statistics(found: PhraseCandidates, references: LaidSide) -> Array:
    """Count what BLEU needs of every candidate: `[N, 10]`."""
    texts, n = found.texts, len(found.sentences)
    lengths = np.asarray(texts.lengths, np.int64)
    wanted = np.asarray(references.lengths, np.int64)
    result = np.zeros((n, _STATS), np.int64)
    both = np.concatenate([texts.values, references.values]).astype(np.int64)
    owner = np.concatenate(
        [np.repeat(np.arange(n), lengths), np.repeat(n + np.arange(len(wanted)), wanted)]
    )
    sizes = np.concatenate([lengths, wanted])
    room = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(both))
    words = np.unique(both, return_inverse=True)[1]
    strange = np.concatenate([[0], np.cumsum(both < 0)])
    gram, width = np.zeros(len(both), np.int64), int(words.max(initial=0)) + 1
    for k in range(ORDER):
        at = np.flatnonzero(room > k)
        gram[at] = np.unique(gram[at] * width + words[at + k], return_inverse=True)[1]
        whole = at[strange[at + k + 1] == strange[at]]
        ours, theirs = whole[owner[whole] < n], whole[owner[whole] >= n]
        result[:, k] = _matched(
            *(owner[ours], found.sentences[owner[ours]], gram[ours]),
            *(owner[theirs] - n, gram[theirs], n),
        )
        result[:, ORDER + k] = np.maximum(lengths - k, 0)
    result[:, -2], result[:, -1] = lengths, wanted[found.sentences]
    return result


def _matched(
    owner: Array, sentence: Array, gram: Array, wanted_by: Array, wanted: Array, n: int
) -> Array:
    """Count n-grams of each candidate that are in its reference, as often as there at most."""
    size = int(max(gram.max(initial=0), wanted.max(initial=0))) + 1
    keys, counts = np.unique(wanted_by * size + wanted, return_counts=True)
    if not len(keys) or not len(gram):
        return np.zeros(n, np.int64)
    _, first, often = np.unique(owner * size + gram, return_index=True, return_counts=True)
    asked = sentence[first] * size + gram[first]
    at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    both = np.where(keys[at] == asked, np.minimum(often, counts[at]), 0)
    return np.bincount(owner[first], both, n).astype(np.int64)


def bleu(stats: Array) -> Array:
    """Turn sums `[..., 10]` into BLEU, 0 to 100; 0 where nothing of a length matches.

    Papineni et al. 2002; words are those of the model, so it is not what sacreBLEU says.
    """
    matched, written = stats[..., :ORDER], stats[..., ORDER : 2 * ORDER]
    short, wanted = stats[..., -2], stats[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(matched > 0, np.log(matched / written), -np.inf)
        brevity = np.minimum(0.0, 1 - wanted / short)
        found: Array = 100 * np.nan_to_num(np.exp(logs.mean(axis=-1) + np.nan_to_num(brevity)))
    return found


def _choose(laid: _Laid, weights: Array, positive: int, chance: np.random.Generator) -> Array:
    """Climb from several points, along one direction after the other; return the best end."""
    n = laid.features.shape[2]
    starts = [weights, *(normal(weights + chance.normal(0, 0.1, n)) for _ in range(_STARTS - 1))]
    ends = list[tuple[float, Array]]()
    for start in starts:
        start[positive] = abs(start[positive])
        here, value = start, -1.0
        for _ in range(_MOST_SWEEPS):
            before = value
            for direction in [*np.eye(n), *chance.normal(0, 0.2, (_RANDOM, n))]:
                found, there = _line(laid, here, direction, positive)
                if found > value:
                    value, here = found, normal(there)
            if value < before + _LEAST:
                break
        ends.append((value, here))
    return max(ends, key=lambda one: one[0])[1]


def _line(laid: _Laid, weights: Array, direction: Array, positive: int) -> tuple[float, Array]:
    """Find the best point of a line: BLEU changes only where another candidate becomes the best.

    Each candidate's score is linear along the line, so the best of a sentence are those of the
    upper envelope of its lines; Och 2003, section 4.
    """
    height = np.where(laid.there, laid.features @ weights, -np.inf)  # [S, N]
    slope = np.where(laid.there, laid.features @ direction, np.inf)
    flattest = slope.min(axis=1, keepdims=True)
    current = np.where(slope <= flattest, height, -np.inf).argmax(axis=1)
    row = np.arange(len(current))
    total = laid.stats[row, current].sum(axis=0)
    places, changes = list[Array](), list[Array]()
    while len(row):
        a, m = height[row, current][:, None], slope[row, current][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            cross = np.where(slope[row] > m + 1e-12, (a - height[row]) / (slope[row] - m), np.inf)
        cross = np.where(laid.there[row], cross, np.inf)
        following = cross.argmin(axis=1)
        place = cross[np.arange(len(row)), following]
        steepest = np.where(cross <= place[:, None] + 1e-12, slope[row], -np.inf).argmax(axis=1)
        on = np.isfinite(place)
        row, old, current = row[on], current[on], steepest[on]
        places.append(place[on])
        changes.append(laid.stats[row, current] - laid.stats[row, old])
    at, change = np.concatenate(places), np.concatenate(changes)
    order = np.argsort(at, kind="stable")
    at = at[order]
    values = bleu(total + np.concatenate([np.zeros((1, _STATS)), np.cumsum(change[order], axis=0)]))
    edges = np.concatenate([[-np.inf], at, [np.inf]])
    least, most = _between(weights[positive], direction[positive])
    low, high = np.maximum(edges[:-1], least), np.minimum(edges[1:], most)
    values = np.where(high - low > 1e-9, values, -1.0)
    best = int(values.argmax())
    return float(values[best]), weights + direction * (low[best] + high[best]) / 2


def _between(weight: float, slope: float) -> tuple[float, float]:
    """Return how far to go either way so that a weight stays above 0."""
    zero = -weight / slope if slope else -np.inf
    return (max(zero, -_EDGE), _EDGE) if slope >= 0 else (-_EDGE, min(zero, _EDGE))


def merged(parts: Sequence[PhraseCandidates]) -> PhraseCandidates:
    """Put candidates of several groups of sentences one after the other."""
    texts = LaidSide(
        *(np.concatenate([getattr(one.texts, name) for one in parts]) for name in LaidSide._fields)
    )
    return PhraseCandidates(
        np.concatenate([one.sentences for one in parts]),
        np.concatenate([one.features for one in parts]),
        texts,
    )
