"""Fitting word alignments by EM: IBM Model 1, Model 2 with a diagonal prior, and the HMM.

An `Aligner` holds what is known (`state`), and makes one pass at a time, so that a model can stop
between two. Each pass is O(cells) for Models 1 and 2, O(T S^2) a pair for the HMM.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.kernels.aligner import Expected, Given, PairLengths, empty
from saccade.models._expectations import diagonal, expect
from saccade.models._lexicon import WordPairs, build, runs, shapes_of
from saccade.models._links import Links, from_places
from saccade.models.base import LaidSide

Array = NDArray[Any]
KINDS = ("ibm1", "ibm2", "hmm")
REACH = 60  # jumps further than this share a number
_MOST_CELLS = 16_000_000  # of the pairs that are laid out at once
_STEEPEST = 100.0  # tension
_JUMP_ROUNDS = 10


class AlignerState(NamedTuple):
    """All that an aligner has learned.

    rows, symbols: which words occur together, see `WordPairs`.  t: float32 `[N]`, of target words
    given source words.  floors: float32 `[n_source + 1]`, of each target word that was never beside
    a source word.  tension: float64 `[1]`, of the diagonal.  jumps: float64 `[2 R + 1]`.
    """

    rows: Array
    symbols: Array
    t: Array
    floors: Array
    tension: Array
    jumps: Array

    @property
    def lexicon(self) -> WordPairs:
        """Which words occur together."""
        return WordPairs(self.rows, self.symbols)


@dataclass(frozen=True, slots=True)
class AlignerSettings:
    """How an aligner learns.

    prior: added to the count of every target word beside every source word; 0 is maximum
    likelihood. Without it a rare word collects links from all rare words around it.  null: how
    likely a target word has no link, in Model 2 and the HMM.  jump_prior: added to the counts of
    every jump.  n_words: target words there are; 0 counts those that occur.
    """

    prior: float = 0.01
    null: float = 0.6
    jump_prior: float = 0.01
    n_words: int = 0


class AlignerPass(NamedTuple):
    """What a pass found: log-likelihood of all targets before it, and links for every word.

    places: int32, the likeliest source place of each target word, -1 for none.
    """

    likelihood: float
    places: Array


class Aligner:
    """Fits one direction, p(target | source), a pass at a time."""

    def __init__(self, state: AlignerState, settings: AlignerSettings | None = None) -> None:
        self.state = state
        self.settings = settings or AlignerSettings()

    @classmethod
    def begin(
        cls, source: LaidSide, target: LaidSide, n_source: int, n_target: int
    ) -> AlignerState:
        """Return what is known before the first pass: words that occur together, alike likely."""
        for name, side, size in (("source", source, n_source), ("target", target, n_target)):
            if len(side.values) and not 0 <= side.values.min() <= side.values.max() < size:
                raise DataError(f"aligner: a {name} has words outside 0 to {size - 1}.")
        lexicon = build(source, target, n_source)
        sizes = np.maximum(np.diff(lexicon.rows), 1)
        t = lexicon.spread(1 / sizes).astype(np.float32)
        jumps = np.exp(-0.3 * np.abs(np.arange(-REACH, REACH + 1) - 1.0))
        floors = np.zeros(n_source + 1, np.float32)
        return AlignerState(*lexicon, t, floors, np.array([4.0]), jumps / jumps.sum())

    def step(self, source: LaidSide, target: LaidSide, kind: str) -> AlignerPass:
        """Make one pass of EM by the model `kind`: ibm1, ibm2 or hmm."""
        expected = self._expected(source, target, kind)
        state, shapes = self.state, shapes_of(source, target)
        t, floors = self.translations(expected.counts)
        tension, jumps = state.tension, state.jumps
        if kind == "ibm2":
            pulled = fit_tension(expected.distance[0], expected.linked, shapes, float(tension[0]))
            tension = np.array([pulled])
        if kind == "hmm":
            jumps = _jumps(expected, jumps, self.settings.jump_prior)
        self.state = state._replace(t=t, floors=floors, tension=tension, jumps=jumps)
        return AlignerPass(float(expected.likelihoods.sum()), expected.best)

    def links(self, source: LaidSide, target: LaidSide, kind: str) -> Links:
        """Link every target word to its likeliest place, given both sentences, if it has one.

        Some pairs at a time, so that memory does not grow with the cells.
        """
        best = [np.zeros(0, np.int32)]
        for first, end in _parts(shapes_of(source, target)):
            some = np.arange(first, end)
            best.append(self.read(source.rows(some), target.rows(some), kind).best)
        return from_places(np.concatenate(best), target.lengths)

    def read(self, source: LaidSide, target: LaidSide, kind: str) -> Expected:
        """Return what is expected of pairs, seen or not; counts are posteriors of every cell.

        Only the posteriors are held for all cells; what they are made of, for some pairs at a time.
        """
        shapes, state = shapes_of(source, target), self.state
        nothing, sums = self._given(kind, shapes), _cell_sums(shapes)
        whole = empty(nothing, int(sums[-1]) if len(sums) else 0, len(state.jumps) // 2)
        for first, end in _parts(shapes):
            some = np.arange(first, end)
            ours, theirs = source.rows(some), target.rows(some)
            t = self.cell_translations(ours, theirs)
            each = np.arange(len(t), dtype=np.int32)
            given = nothing._replace(shapes=shapes_of(ours, theirs), cells=each, t=t)
            cells = slice(int(sums[end - 1]) - len(t), int(sums[end - 1]))
            part = _part(whole, shapes, first, end)._replace(counts=whole.counts[cells])
            expect(given, part, jumping=kind == "hmm")
        return whole

    def cell_translations(self, source: LaidSide, target: LaidSide) -> Array:
        """Return t for all words of pairs, `[T, S + 1]` each, seen together or not."""
        state = self.state
        cells = state.lexicon.cells(source, target)
        t = np.append(state.t, np.float32(0))  # the last, for -1, is not used
        found: Array = np.where(cells >= 0, t[np.maximum(cells, -1)], 0)
        unseen = cells < 0
        found[unseen] = state.floors[-1 - cells[unseen]]
        return found

    def _given(self, kind: str, shapes: PairLengths) -> Given:
        if kind not in KINDS:
            raise DataError(f"aligner: there is no {kind!r}; expected one of {', '.join(KINDS)}.")
        state, none = self.state, np.zeros(0, np.int32)
        null = -1.0 if kind == "ibm1" else self.settings.null
        tension = float(state.tension[0]) if kind == "ibm2" else 0.0
        return Given(shapes, none, state.t, state.jumps, null, tension)

    def _expected(self, source: LaidSide, target: LaidSide, kind: str) -> Expected:
        shapes, state = shapes_of(source, target), self.state
        nothing = self._given(kind, shapes)
        whole = empty(nothing, len(state.t), len(state.jumps) // 2)
        for first, end in _parts(shapes):
            some = np.arange(first, end)
            ours, theirs = source.rows(some), target.rows(some)
            cells = state.lexicon.cells(ours, theirs)
            if len(cells) and cells.min() < 0:
                raise DataError(
                    "aligner: the text has words that did not occur together where the aligner was"
                    " begun; expected the same text."
                )
            given = nothing._replace(shapes=shapes_of(ours, theirs), cells=cells)
            expect(given, _part(whole, shapes, first, end), jumping=kind == "hmm")
        return whole

    def translations(self, counts: Array) -> tuple[Array, Array]:
        """Estimate t from expected counts n, with the prior a and V target words.

            t(y | x) = (n(x, y) + a) / (sum_v n(x, v) + a V)

        The maximum a posteriori under a Dirichlet distribution of 1 + a. Moore 2004 (P04-1066),
        section 4, adds the same to Model 1.
        """
        lexicon, prior = self.state.lexicon, self.settings.prior
        n_words = self.settings.n_words or int(np.diff(lexicon.rows)[-1])
        whole = lexicon.sums(counts) + prior * n_words
        over = 1 / np.where(whole > 0, whole, 1.0)
        t = (counts + prior) * lexicon.spread(over)
        return t.astype(np.float32), (prior * over).astype(np.float32)


def align_corpus(
    source: LaidSide, target: LaidSide, n_source: int, n_target: int, passes: Mapping[str, int]
) -> Links:
    """Align a corpus in one direction: each target word with at most one source word.

    Args:
        source: ids of the words that are given.
        target: ids of the words that are linked to them.
        n_source: source words of the vocabulary.
        n_target: target words.
        passes: how many of which model, in order, such as `{"ibm1": 5, "hmm": 5}`.
    """
    aligner = Aligner(Aligner.begin(source, target, n_source, n_target))
    for kind, n in passes.items():
        for _ in range(n):
            aligner.step(source, target, kind)
    return from_places(aligner.step(source, target, list(passes)[-1]).places, target.lengths)


def _cell_sums(shapes: PairLengths) -> Array:
    """Return how many cells all pairs up to each have, `T (S + 1)` each."""
    return np.cumsum(shapes.targets * (shapes.sources + 1))


def _parts(shapes: PairLengths) -> list[tuple[int, int]]:
    """Part pairs into runs that are laid out at once."""
    return runs(_cell_sums(shapes), _MOST_CELLS)


def _part(whole: Expected, shapes: PairLengths, first: int, end: int) -> Expected:
    """Return a view of what is expected of some pairs."""
    words = slice(int(shapes.targets[:first].sum()), int(shapes.targets[:end].sum()))
    return whole._replace(
        likelihoods=whole.likelihoods[first:end],
        linked=whole.linked[words],
        best=whole.best[words],
    )


def fit_tension(distance: float, linked: Array, shapes: PairLengths, tension: float) -> float:
    """Maximise the expected log of the prior: concave in the tension, so by Newton and halving.

        sum_j m_j (E[h_j | words] - E[h_j | tension]) = 0,   h = -|i/S - j/T|

    m_j is how likely word j has a link, in `linked`. fast_align takes a few steps up the gradient
    instead.
    """
    keys, mass = _diagonals(linked, shapes)
    low, high = 0.0, _STEEPEST
    for _ in range(30):
        slope, curve = -float(distance), 0.0
        for S, T, j, m in zip(*keys, mass, strict=True):
            away = diagonal(S, T, j, np.arange(1, int(S[0, 0]) + 1))  # [n, S]
            p = np.exp(-tension * (away - away.min(axis=1, keepdims=True)))
            p /= p.sum(axis=1, keepdims=True)
            mean = (p * away).sum(axis=1)
            slope += float(m @ mean)
            curve += float(m @ ((p * away**2).sum(axis=1) - mean**2))
        low, high = (tension, high) if slope > 0 else (low, tension)
        step = slope / curve if curve > 0 else 0.0
        wanted = tension + step
        if not low <= wanted <= high:
            wanted = (low + high) / 2
        if abs(wanted - tension) < 1e-6:
            break
        tension = wanted
    return tension


def _diagonals(linked: Array, shapes: PairLengths) -> tuple[list[list[Array]], list[Array]]:
    """Gather target words by S, T and j, and add up how likely they have a link."""
    S, T = (np.repeat(one, shapes.targets) for one in shapes)
    j = np.arange(len(S)) - np.repeat(np.cumsum(shapes.targets) - shapes.targets, shapes.targets)
    base = 2_000
    keys, where = np.unique((S * base + T) * base + j + 1, return_inverse=True)
    mass = np.bincount(where, weights=linked, minlength=len(keys))
    found: list[list[Array]] = [[], [], []]
    masses = []
    for some in np.split(np.arange(len(keys)), np.flatnonzero(np.diff(keys // base**2)) + 1):
        if len(some) and (n := int(keys[some[0]] // base**2)):
            found[0].append(np.full((len(some), 1), n))
            found[1].append((keys[some] // base % base)[:, None])
            found[2].append((keys[some] % base)[:, None])
            masses.append(mass[some])
    return found, masses


def _jumps(expected: Expected, jumps: Array, prior: float) -> Array:
    """Estimate jumps so that the likelihood cannot fall.

        p(i | i') = c(i - i') / sum over places k of c(k - i')
        c(d) <- n(d) / sum over origins with d of N(S, i') / Z(S, i')

    n are expected jumps, N how many begin at i' in a source of S words, Z what c adds up to there.
    The update climbs a bound from below, as for the Bradley-Terry model (Hunter 2004). A prior
    is seen as so many jumps of every kind from an origin where all can be made.
    """
    reach, (S, i) = len(jumps) // 2, np.nonzero(expected.origins)
    N = expected.origins[S, i]
    longest = expected.origins.shape[0] + 1
    step = np.arange(-longest, longest + 1)
    bucket = np.clip(step, -reach, reach) + reach
    first, end = longest + 1 - i, longest + 1 - i + S  # of the steps from each origin
    wanted = expected.jumps + prior
    for _ in range(_JUMP_ROUNDS):
        sums = np.concatenate([[0.0], np.cumsum(jumps[bucket])])
        ratio = N / np.maximum(sums[end] - sums[first], 1e-300)
        edges = np.zeros(len(step) + 1)
        np.add.at(edges, first, ratio)
        np.add.at(edges, end, -ratio)
        weight = np.bincount(bucket, weights=np.cumsum(edges)[:-1], minlength=len(jumps))
        weight = np.maximum(weight, 0.0) + prior * len(jumps) / jumps.sum()
        jumps = np.where(weight > 1e-12, wanted / np.maximum(weight, 1e-12), 0.0)
        jumps = jumps / jumps.sum()
    return jumps
