"""Model 3: climbing in C is that of numpy, and near an optimum by listing all alignments."""

from itertools import product
from math import comb, exp, factorial, log

import numpy as np
import pytest

from saccade.models import _fertility
from saccade.models._aligner import Aligner, AlignerSettings
from saccade.models._fertility import FIRST, fertile_posteriors, fertile_step
from saccade.models.base import LaidSide
from tests.models.aligning import laid
from tests.samples import kernels_off

SPURIOUS = 0.2


def corpus(pairs: int = 30, words: int = 10) -> tuple[LaidSide, LaidSide]:
    draw = np.random.default_rng(2)
    rows = [draw.integers(0, words, draw.integers(1, 8)).tolist() for _ in range(pairs)]
    others = [[words - 1 - i for i in row for _ in range(1 + i % 2)][:9] for row in rows]
    return laid(rows), laid(others)


def begun() -> tuple[Aligner, LaidSide, LaidSide, np.ndarray]:
    source, target = corpus()
    aligner = Aligner(Aligner.begin(source, target, 10, 10), AlignerSettings(prior=0.01, null=0.2))
    for kind in ("ibm1", "ibm1", "hmm", "hmm"):
        aligner.step(source, target, kind)
    return aligner, source, target, np.tile(FIRST, (10, 1)).astype(np.float32)


def test_numpy_climbs_as_the_kernels() -> None:
    (fast, source, target, n), (slow, *_) = begun(), begun()
    made = fertile_step(fast, source, target, n, SPURIOUS)
    with kernels_off():
        clear = fertile_step(slow, source, target, n, SPURIOUS)
    assert clear.found.likelihood == pytest.approx(made.found.likelihood, rel=1e-6)
    np.testing.assert_array_equal(clear.found.places, made.found.places)
    np.testing.assert_allclose(clear.fertilities, made.fertilities, atol=1e-5)
    for a, b in zip(fast.state, slow.state, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def joint(t: np.ndarray, n: np.ndarray, path: tuple[int, ...], tension: float) -> float:
    """log p(y, a | x) by the equation; t is `[T, S + 1]`, n of the source words `[S, 10]`."""
    T, S = len(path), t.shape[1] - 1
    none = path.count(0)
    if 2 * none > T:
        return -np.inf
    p = comb(T - none, none) * SPURIOUS**none * (1 - SPURIOUS) ** (T - 2 * none)
    for i in range(1, S + 1):
        p *= factorial(path.count(i)) * n[i - 1, path.count(i)]
    for j, i in enumerate(path, start=1):
        p *= t[j - 1, i]
        if i:
            pull = [exp(-tension * abs(i / S - k / T)) for k in range(1, T + 1)]
            p *= pull[j - 1] / sum(pull)
    return log(p)


def test_it_finds_what_listing_all_alignments_finds() -> None:
    aligner, source, target, n = begun()
    fertile = fertile_step(aligner, source, target, n, SPURIOUS).fertilities
    right = 0
    short = [p for p in range(30) if source.lengths[p] <= 3 and target.lengths[p] <= 5]
    for p in short:
        xs, ys = (one.rows(np.array([p])) for one in (source, target))
        t = aligner.cell_translations(xs, ys).reshape(len(ys.values), -1)
        tension = float(aligner.state.tension[0])
        ways = {
            path: joint(t, fertile[xs.values], path, tension)
            for path in product(range(t.shape[1]), repeat=len(t))
        }
        found = fertile_posteriors(aligner, xs, ys, fertile, SPURIOUS).reshape(t.shape)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
        right += tuple(found.argmax(axis=1)) == max(ways, key=lambda path: ways[path])
    assert len(short) >= 5
    assert right >= 0.8 * len(short)  # climbing may end on another hill


def test_words_learn_their_fertility() -> None:
    aligner, source, target, n = begun()
    for _ in range(3):
        n = fertile_step(aligner, source, target, n, SPURIOUS).fertilities
    np.testing.assert_allclose(n.sum(axis=1), 1.0, atol=1e-5)
    means = n @ np.arange(_fertility.FERTILITIES)
    assert means[1::2].mean() > means[::2].mean() + 0.3  # odd words were written twice
