"""Word alignment by EM: against listing all alignments, and with kernels as without."""

from dataclasses import replace
from itertools import pairwise, product
from math import exp, log, prod
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.models import _aligner, _expectations, _lexicon
from saccade.models._aligner import KINDS, Aligner, AlignerSettings, AlignerState, align_corpus
from saccade.models.base import LaidSide
from tests.samples import kernels_off

PLAIN = AlignerSettings(prior=0.0, null=0.1, jump_prior=0.0)


def side(*rows: list[int]) -> LaidSide:
    return LaidSide(
        np.array([i for row in rows for i in row], np.int64), np.array(list(map(len, rows)))
    )


SOURCE = side([0, 1], [1, 2], [0, 2, 1], [2])
TARGET = side([0, 1, 1], [2, 1], [0, 2], [2, 3])


def corpus(pairs: int = 50, words: int = 12, *, seed: int = 3) -> tuple[LaidSide, LaidSide]:
    draw = np.random.default_rng(seed)
    sides = [
        [draw.integers(0, words, n).tolist() for n in draw.integers(1, 9, pairs)] for _ in "st"
    ]
    return side(*sides[0]), side(*sides[1])


def begun(source: LaidSide = SOURCE, target: LaidSide = TARGET, **settings: Any) -> Aligner:
    n = int(max(source.values.max(), target.values.max())) + 1
    state = Aligner.begin(source, target, n, n)
    draw = np.random.default_rng(1)
    t = state.t * draw.uniform(0.5, 1.5, len(state.t))
    t = (t / state.lexicon.spread(state.lexicon.sums(t))).astype(np.float32)
    return Aligner(state._replace(t=t), replace(AlignerSettings(prior=0.0, null=0.1), **settings))


def known(state: AlignerState, x: int | None, y: int) -> float:
    row = state.lexicon.n_source if x is None else x
    here = slice(*state.rows[row : row + 2])
    return float(state.t[here][state.symbols[here] == y][0])


def path_probability(aligner: Aligner, kind: str, xs: list[int], path: tuple[int, ...]) -> float:
    """How likely places are, 0 for the empty word, by the equations."""
    state, S, T, null, p = aligner.state, len(xs), len(path), aligner.settings.null, 1.0
    last = 0
    for j, i in enumerate(path, start=1):
        if kind == "ibm1":
            p /= S + 1
        elif i == 0:
            p *= null
        elif kind == "ibm2":
            pull = [exp(-float(state.tension[0]) * abs(k / S - j / T)) for k in range(1, S + 1)]
            p *= (1 - null) * pull[i - 1] / sum(pull)
        else:
            jumps = [float(state.jumps[k - last + _aligner.REACH]) for k in range(1, S + 1)]
            p *= (1 - null) * jumps[i - 1] / sum(jumps)
            last = i
    return p


def listed(aligner: Aligner, kind: str) -> tuple[np.ndarray, float]:
    """Count every link by listing all alignments, weighted by how likely they are."""
    state = aligner.state
    counts, total = np.zeros(len(state.t)), 0.0
    for p in range(len(SOURCE.lengths)):
        xs, ys = (one.rows(np.array([p])).values.tolist() for one in (SOURCE, TARGET))
        ways = {}
        for path in product(range(len(xs) + 1), repeat=len(ys)):
            said = (
                known(state, xs[i - 1] if i else None, y) for i, y in zip(path, ys, strict=True)
            )
            ways[path] = path_probability(aligner, kind, xs, path) * prod(said)
        whole = sum(ways.values())
        total += log(whole)
        for path, way in ways.items():
            for i, y in zip(path, ys, strict=True):
                row = xs[i - 1] if i else state.lexicon.n_source
                first, end = state.rows[row : row + 2]
                counts[first + np.searchsorted(state.symbols[first:end], y)] += way / whole
    return counts, total


@pytest.mark.parametrize("kind", KINDS)
def test_a_pass_expects_what_listing_all_alignments_does(kind: str) -> None:
    aligner = begun()
    counts, total = listed(aligner, kind)
    state = aligner.state
    found = aligner.step(SOURCE, TARGET, kind)
    assert found.likelihood == pytest.approx(total, abs=1e-9)
    wanted = counts / state.lexicon.spread(state.lexicon.sums(counts))
    np.testing.assert_allclose(aligner.state.t, wanted, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_likelihood_never_falls(kind: str) -> None:
    source, target = corpus()
    aligner = begun(source, target, jump_prior=0.0)
    passes = [aligner.step(source, target, kind).likelihood for _ in range(12)]
    assert all(b >= a - 1e-3 for a, b in pairwise(passes)), passes
    assert passes[-1] > passes[0] + 1


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_does_as_the_kernels(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = corpus()
    fast, clear = begun(source, target, prior=0.01), begun(source, target, prior=0.01)
    said = [fast.step(source, target, kind) for _ in range(3)]
    monkeypatch.setattr(_aligner, "_MOST_CELLS", 300)
    monkeypatch.setattr(_expectations, "_MOST_NUMBERS", 2_000)
    monkeypatch.setattr(_lexicon, "_SORTED", 200)
    with kernels_off():
        for a, b in zip(begun(source, target).state, fast.state, strict=True):
            assert a.shape == b.shape
        np.testing.assert_array_equal(begun(source, target).state.symbols, fast.state.symbols)
        for one in said:
            slow = clear.step(source, target, kind)
            assert slow.likelihood == pytest.approx(one.likelihood, rel=1e-7)
            np.testing.assert_array_equal(slow.places, one.places)
    for a, b in zip(fast.state, clear.state, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_alone_is_as_in_the_corpus(kind: str) -> None:
    source, target = corpus()
    aligner = begun(source, target)
    aligner.step(source, target, kind)
    whole = aligner.links(source, target, kind)
    for pair in (0, 7, 49):
        alone = aligner.links(source.rows(np.array([pair])), target.rows(np.array([pair])), kind)
        np.testing.assert_array_equal(alone[:, 1:], whole[whole[:, 0] == pair][:, 1:])


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_are_read_a_few_at_a_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = corpus()
    aligner = begun(source, target)
    whole, links = aligner.read(source, target, kind), aligner.links(source, target, kind)
    laid_out = []
    cells = Aligner.cell_translations

    def counted(self: Aligner, ours: LaidSide, theirs: LaidSide) -> Any:
        laid_out.append(len(found := cells(self, ours, theirs)))
        return found

    monkeypatch.setattr(Aligner, "cell_translations", counted)
    monkeypatch.setattr(_aligner, "_MOST_CELLS", 200)
    for a, b in zip(aligner.read(source, target, kind), whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(aligner.links(source, target, kind), links)
    assert max(laid_out) <= 200
    assert sum(laid_out) == 2 * len(whole.counts)


@pytest.mark.parametrize("kind", KINDS)
def test_with_a_prior_what_is_penalised_never_falls(kind: str) -> None:
    source, target = corpus()
    aligner = begun(source, target, prior=0.2, jump_prior=0.0)
    aligner.step(source, target, kind)
    found = []
    for _ in range(6):
        state = aligner.state
        seen = 0.2 * np.log(state.t).sum()
        unseen = 0.2 * (12 - np.diff(state.rows)) @ np.log(state.floors)
        found.append(aligner.step(source, target, kind).likelihood + seen + unseen)
        whole = state.lexicon.sums(state.t) + (12 - np.diff(state.rows)) * state.floors
        np.testing.assert_allclose(whole, 1.0, atol=1e-5)
    assert all(b >= a - 1e-3 for a, b in pairwise(found)), found


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_never_met_can_be_linked(kind: str) -> None:
    source, target = corpus()
    aligner = begun(source, target, prior=0.01)
    aligner.step(source, target, kind)
    ours, theirs = corpus(20, seed=4)
    found = aligner.read(ours, theirs, kind)
    assert np.isfinite(found.likelihoods).all()
    begins = np.cumsum(np.append(0, np.repeat(ours.lengths + 1, theirs.lengths)))[:-1]
    np.testing.assert_allclose(np.add.reduceat(found.counts, begins), 1.0)
    with kernels_off():
        slow = aligner.read(ours, theirs, kind)
    np.testing.assert_allclose(slow.counts, found.counts, atol=1e-12)
    np.testing.assert_array_equal(slow.best, found.best)


def test_words_of_a_made_language_find_each_other() -> None:
    draw = np.random.default_rng(0)
    rows = [draw.permutation(30)[: draw.integers(3, 9)].tolist() for _ in range(300)]
    source, target = side(*rows), side(*([29 - i for i in row[::-1]] for row in rows))
    links = align_corpus(source, target, 30, 30, {"ibm1": 4, "hmm": 4})
    lengths = source.lengths[links[:, 0]]
    assert (links[:, 1] + links[:, 2] == lengths - 1).mean() > 0.99
    assert len(links) > 0.95 * len(source.values)


def test_what_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="4 sources and 1 targets; expected as many"):
        Aligner.begin(SOURCE, side([1]), 3, 4)
    with pytest.raises(DataError, match="a target has words outside 0 to 2"):
        Aligner.begin(SOURCE, TARGET, 3, 3)
    with pytest.raises(DataError, match="there is no 'ibm9'; expected one of ibm1"):
        begun().links(SOURCE, TARGET, "ibm9")
    with pytest.raises(DataError, match="words that did not occur together"):
        begun().step(side([0]), side([3]), "ibm1")
    long = side([1] * 1001)
    with pytest.raises(DataError, match="one of the sources has 1,001 words"):
        Aligner.begin(long, side([1]), 2, 2)
    monkeypatch.setattr(_lexicon, "MOST_ENTRIES", 5)
    with pytest.raises(DataError, match="14 pairs of words occur together, more than 5"):
        Aligner.begin(SOURCE, TARGET, 3, 4)
