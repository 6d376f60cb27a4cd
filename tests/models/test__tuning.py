"""Tuning: BLEU is that of sacreBLEU, a line is searched exactly, and weights get better."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.models._tuning import (
    _STATS,
    Array,
    PhraseCandidates,
    _Laid,
    _line,
    bleu,
    merged,
    normal,
    statistics,
    tune,
)
from saccade.models.base import LaidSide

seeds = st.integers(0, 10_000)


def laid(lines: list[Array]) -> LaidSide:
    return LaidSide(np.concatenate(lines), np.array([len(line) for line in lines]))


def noise(seed: int, n: int = 20, each: int = 6) -> tuple[PhraseCandidates, LaidSide]:
    """Make references, and candidates that are like them here and there."""
    chance = np.random.Generator(np.random.PCG64(seed))
    references = [chance.integers(0, 6, chance.integers(4, 9)) for _ in range(n)]
    lines = list[Array]()
    for line in references:
        for _ in range(each):
            other = line[: len(line) - int(chance.integers(0, 2))].copy()
            wrong = chance.random(len(other)) < 0.3
            other[wrong] = chance.integers(0, 6, int(wrong.sum()))
            lines.append(other)
    features = chance.normal(0, 1, (n * each, 4))
    return PhraseCandidates(np.repeat(np.arange(n), each), features, laid(lines)), laid(references)


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_bleu_is_that_of_sacrebleu(seed: int) -> None:
    found, references = noise(seed, each=1)
    ours = float(bleu(statistics(found, references).sum(axis=0)))
    assert ours == pytest.approx(_sacrebleu(found.texts, references), abs=1e-6)


def _sacrebleu(texts: LaidSide, references: LaidSide) -> float:
    lines = [
        [
            " ".join(f"w{i}" for i in row)
            for row in np.split(one.values, np.cumsum(one.lengths)[:-1])
        ]
        for one in (texts, references)
    ]
    return sacrebleu.corpus_bleu(lines[0], [lines[1]], tokenize="none", smooth_method="none").score


def test_words_below_zero_match_nothing() -> None:
    one = laid([np.array([5, -1, 6])])
    stats = statistics(PhraseCandidates(np.array([0]), np.zeros((1, 1)), one), one)
    assert stats[0, :4].tolist() == [2, 0, 0, 0]
    assert stats[0, 4:].tolist() == [3, 2, 1, 0, 3, 3]


def test_nothing_that_matches_is_no_bleu() -> None:
    assert bleu(np.zeros(_STATS)) == 0
    assert bleu(np.array([[1, 0, 0, 0, 4, 3, 2, 1, 4, 4]])).tolist() == [0.0]


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_a_line_is_searched_exactly(seed: int) -> None:
    found, references = noise(seed)
    stats = statistics(found, references).astype(float)
    every = _Laid(
        found.features.reshape(20, 6, 4), stats.reshape(20, 6, _STATS), np.ones((20, 6), bool)
    )
    chance = np.random.Generator(np.random.PCG64(seed + 1))
    weights, direction = chance.normal(0, 1, 4), chance.normal(0, 1, 4)
    direction[0] = 0.0
    weights[0] = 1.0

    def at(point: Array) -> float:
        best = (every.features @ point).argmax(axis=1)
        return float(bleu(every.stats[np.arange(20), best].sum(axis=0)))

    value, there = _line(every, weights, direction, 0)
    assert value == pytest.approx(at(there), abs=1e-9)
    by_steps = max(at(weights + x * direction) for x in np.linspace(-1, 1, 2001))
    assert value >= by_steps - 1e-9


def test_a_weight_that_must_not_fall_below_zero_does_not() -> None:
    found, references = noise(3)
    stats = statistics(found, references).astype(float).reshape(20, 6, _STATS)
    every = _Laid(found.features.reshape(20, 6, 4), stats, np.ones((20, 6), bool))
    for sign in (1.0, -1.0):
        _, there = _line(every, np.full(4, 0.25), sign * np.eye(4)[2], 2)
        assert there[2] >= 0


def test_tuning_finds_better_weights_and_the_same_again() -> None:
    found, references = noise(5)

    def decode(weights: Array) -> PhraseCandidates:
        score = found.features @ weights
        order = np.lexsort((-score, found.sentences))
        features = found.features[order]
        return PhraseCandidates(found.sentences[order], features, found.texts.rows(order))

    first, again = (tune(decode, references, np.ones(4), 4, 0) for _ in range(2))
    assert first.bleu == max(first.rounds)
    assert first.bleu > first.rounds[0]
    assert np.array_equal(first.weights, again.weights)
    assert np.abs(first.weights).sum() == pytest.approx(1.0)


def test_nothing_to_scale_stays_nothing() -> None:
    assert normal(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert normal(np.array([2.0, -2.0])).tolist() == [0.5, -0.5]


def test_groups_are_put_one_after_the_other() -> None:
    found, _ = noise(1, n=2, each=2)
    both = merged([found, found._replace(sentences=found.sentences + 2)])
    assert both.sentences.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(both.texts.lengths) == len(both.features) == 8
