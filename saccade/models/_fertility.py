"""IBM Model 3 by hill-climbing: how many target words each source word has, and where they go.

No sum over all alignments can be computed. So each pair begins from the likeliest places of the
HMM, takes the best move of one link or swap of two until none is better, and counts that alignment
and all that are one move or swap away. Brown et al. 1993 (J93-2003), sections 4.4 and 5.1.
"""

from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.kernels.aligner import FertileExpected, FertileGiven, PairLengths, run_fertility
from saccade.models._aligner import Aligner, AlignerPass, fit_tension
from saccade.models._lexicon import shapes_of
from saccade.models.base import LaidSide

Array = NDArray[Any]
FERTILITIES = 10
FIRST = np.array([0.3, 0.5, 0.15, 0.03, 0.01, 0.004, 0.003, 0.001, 0.001, 0.001])
_SHRINK = 5.0  # how many words of the whole corpus stand beside those of one


class FertileStep(NamedTuple):
    """What a pass of Model 3 leaves: fertilities float32 `[n_source, 10]`, and what it found."""

    fertilities: Array
    found: AlignerPass


def fertile_step(
    aligner: Aligner, source: LaidSide, target: LaidSide, fertilities: Array, spurious: float
) -> FertileStep:
    """Make one pass by Model 3; the state of the aligner is changed.

        p(y, a | x) = C(T - f0, f0) p1^f0 (1 - p1)^(T - 2 f0) prod_i f_i! n(f_i | x_i)
                      prod_j t(y_j | x_{a_j}) prod_{j: a_j > 0} d(j | a_j, S, T)
        d(j | i, S, T) = exp(-l |i/S - j/T|) / sum_k exp(-l |i/S - k/T|)

    f_i is how many words place i has. d has one number, l, and not a table.
    """
    shapes, state = shapes_of(source, target), aligner.state
    best = aligner.step(source, target, "hmm").places  # and what it learned is put aside
    jumps = aligner.state.jumps
    cells = state.lexicon.cells(source, target)
    tension = float(state.tension[0])
    given = FertileGiven(shapes, source.values, cells, state.t, fertilities, spurious, tension)
    found = nothing(given, len(state.t), best)
    expect_fertility(given, found)
    t, floors = aligner.translations(found.counts)
    pulled = fit_tension(
        found.distance[0], found.linked, PairLengths(shapes.targets, shapes.sources), tension
    )
    aligner.state = state._replace(t=t, floors=floors, tension=np.array([pulled]), jumps=jumps)
    likelihood = float(found.likelihoods.sum())
    return FertileStep(_estimate(found.fertilities), AlignerPass(likelihood, found.best))


def fertile_posteriors(
    aligner: Aligner, source: LaidSide, target: LaidSide, fertilities: Array, spurious: float
) -> Array:
    """Return how likely each link of pairs is, `[T, S + 1]` each, among what climbing found."""
    best = aligner.read(source, target, "hmm").best
    t, state = aligner.cell_translations(source, target), aligner.state
    each = np.arange(len(t), dtype=np.int32)
    shapes, tension = shapes_of(source, target), float(state.tension[0])
    given = FertileGiven(shapes, source.values, each, t, fertilities, spurious, tension)
    found = nothing(given, len(t), best)
    expect_fertility(given, found)
    return found.counts


def nothing(given: FertileGiven, entries: int, best: Array) -> FertileExpected:
    """Return room for what a pass expects, and where it begins."""
    return FertileExpected(
        np.zeros(entries),
        np.zeros(given.fertilities.shape),
        np.zeros(len(given.words)),
        np.zeros(1),
        np.zeros(len(given.shapes.sources)),
        np.ascontiguousarray(best, np.int32),
    )


def expect_fertility(given: FertileGiven, expected: FertileExpected) -> None:
    """Climb and count, in C or pair by pair here."""
    if run_fertility(given, expected):
        return
    cell = word = place = 0
    for p, (S, T) in enumerate(zip(*(one.tolist() for one in given.shapes), strict=True)):
        words, cells = given.words[word : word + S], given.cells[cell : cell + T * (S + 1)]
        pair = _Pair(given, words, cells.reshape(T, S + 1), expected.best[place : place + T] + 1)
        pair.climb()
        expected.likelihoods[p] = pair.count(expected, word)
        expected.best[place : place + T] = pair.places - 1
        cell, word, place = cell + T * (S + 1), word + S, place + T


def _estimate(counts: Array) -> Array:
    """Estimate fertilities, those of rare words near those of all words."""
    whole = counts.sum(axis=0) + FIRST
    mean = whole / whole.sum()
    found: Array = (counts + _SHRINK * mean) / (counts.sum(axis=1, keepdims=True) + _SHRINK)
    return np.asarray(found, np.float32)


class _Pair:
    """One pair as `fertility.c` sees it; moves and swaps are arrays."""

    def __init__(self, given: FertileGiven, words: Array, cells: Array, places: Array) -> None:
        self.T, self.wide = int(cells.shape[0]), int(cells.shape[1])
        S, T = self.wide - 1, self.T
        self.words, self.cells, self.places = words, cells, places
        i, j = np.arange(1, S + 1) / max(S, 1), np.arange(1, T + 1) / max(T, 1)
        self.away = np.abs(i[None, :] - j[:, None])  # [T, S]
        pull = -given.tension * self.away
        self.w = np.log(np.maximum(given.t[cells].astype(np.float64), 1e-30))
        self.w[:, 1:] += pull - np.log(np.exp(pull).sum(axis=0, keepdims=True))
        factorials = np.array([lgamma(n + 1) for n in range(FERTILITIES)])
        n = given.fertilities[words].astype(np.float64)
        self.f = np.log(np.maximum(n, 1e-30)) + factorials  # [S, 10]
        self.empty = np.array([self._none(n, given.spurious) for n in range(T + 2)])
        self.phi = np.bincount(places, minlength=self.wide)

    def _none(self, n: int, spurious: float) -> float:
        rest = self.T - n
        if n > rest:
            return -1e6 * float(n - rest)
        ways = lgamma(rest + 1) - lgamma(n + 1) - lgamma(rest - n + 1)
        return ways + (rest - n) * log(1 - spurious) + n * log(spurious)

    def _cost(self, phi: Array) -> Array:
        """Return the log-probability of fertilities of all places, the empty word first."""
        none = np.full(1, -np.inf) if not 0 <= phi[0] <= self.T else self.empty[phi[:1]]
        held = self.f[np.arange(self.wide - 1), np.clip(phi[1:], 0, FERTILITIES - 1)]
        return np.concatenate([none, np.where(phi[1:] < 0, -np.inf, held)])

    def _gains(self) -> tuple[Array, Array]:
        """Return what moves `[T, S + 1]` and swaps `[T, T]` gain; -inf for none."""
        rows, now = np.arange(self.T), self._cost(self.phi)
        leaving, entering = self._cost(self.phi - 1) - now, self._cost(self.phi + 1) - now
        own = self.w[rows, self.places]
        moves = (leaving[self.places] - own)[:, None] + self.w + entering
        moves[rows, self.places] = -np.inf
        others = self.w[:, self.places]  # [T, T], word j at the place of word k
        swaps = others + others.T - own[:, None] - own[None, :]
        alike = self.places[:, None] == self.places[None, :]
        swaps[alike | np.tri(self.T, dtype=bool)] = -np.inf
        return moves, swaps

    def climb(self) -> None:
        """Take the best move or swap until there is none."""
        for _ in range(2 * self.T + 10):
            moves, swaps = self._gains()
            best = max(moves.max(initial=-np.inf), swaps.max(initial=-np.inf))
            if not best > 1e-9:
                return
            if moves.max() == best:
                j, i = np.unravel_index(moves.argmax(), moves.shape)
                self.places[j] = i
            else:
                j, k = np.unravel_index(swaps.argmax(), swaps.shape)
                self.places[[j, k]] = self.places[[k, j]]
            self.phi = np.bincount(self.places, minlength=self.wide)

    def count(self, expected: FertileExpected, word: int) -> float:
        """Count the alignment and its neighbours; return the log of their sum."""
        moves, swaps = (np.exp(one) for one in self._gains())
        swaps = swaps + swaps.T
        Z = 1 + moves.sum() + swaps.sum() / 2
        posterior, rows = moves.copy(), np.arange(self.T)
        np.add.at(posterior, (rows[:, None], self.places[None, :]), swaps)
        posterior[rows, self.places] += Z - moves.sum(axis=1) - swaps.sum(axis=1)
        posterior /= Z
        np.add.at(expected.counts, self.cells, posterior)
        expected.linked[word : word + len(self.words)] += posterior[:, 1:].sum(axis=0)
        expected.distance[0] += float((posterior[:, 1:] * self.away).sum())
        less = np.bincount(self.places, moves.sum(axis=1), self.wide)[1:] / Z
        more, phi = moves.sum(axis=0)[1:] / Z, np.minimum(self.phi[1:], FERTILITIES - 1)
        for change, n in ((-1, less), (1, more), (0, 1 - less - more)):
            at = np.clip(phi + change, 0, FERTILITIES - 1)
            np.add.at(expected.fertilities, (self.words, at), np.where(phi + change < 0, 0, n))
        own = self.w[rows, self.places].sum()
        return float(own + self._cost(self.phi).sum() + np.log(Z))
