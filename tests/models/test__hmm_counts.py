"""Counts of a hidden Markov model, against the equations written with dictionaries."""

from collections import Counter

import numpy as np
import pytest

from saccade.models._hmm_counts import (
    LEAST,
    Emissions,
    Smoothing,
    States,
    TaggedWords,
    by_suffix,
    emissions_of,
    states_of,
    transitions_of,
)
from saccade.tokenizers._vocabulary import END, UNK

SENTENCES = [[(4, 5), (5, 6), (6, 6)], [(4, 5), (5, 5)], [(7, 6)], [(4, 7), (5, 6), (4, 5), (6, 6)]]
PLAIN = Smoothing(rare=10, prior=0.5, lexical=0)


def observed(factors: bool = False) -> TaggedWords:
    words, tags = (np.array([pair[i] for one in SENTENCES for pair in one]) for i in (0, 1))
    given = np.where(words == 4, 8, 9) if factors else words * 0
    return TaggedWords(words, given, tags, np.array([len(one) for one in SENTENCES]))


def made(how: Smoothing = PLAIN, *, factors: bool = False) -> tuple[States, Emissions]:
    seen = observed(factors)
    states = states_of(seen, 12, factored=factors, lexical=how.lexical)
    return states, emissions_of(seen, states, 12, None if factors else (), how)


def test_a_state_is_a_tag() -> None:
    states, emissions = made()
    assert states.tags.tolist() == [5, 6, 7]
    assert states.counts.tolist() == [4, 5, 1]
    assert emissions.candidates.tolist() == [[1, 0, 2], [3, -1, -1]]  # the commonest first
    assert emissions.tags.tolist() == [5, 6, 7, END]
    assert emissions.keys.tolist() == list(range(12))


def test_scores_are_odds_of_a_state_given_the_word() -> None:
    _, emissions = made(Smoothing(rare=10, prior=0.0, lexical=0))
    expected = np.array([0, 3 / 4 / 0.4, 1 / 4 / 0.1])  # word 4 is tag 6 never, 5 thrice, 7 once
    np.testing.assert_allclose(emissions.scores[4], expected / expected.max())
    _, smoothed = made(Smoothing(rare=10, prior=2.0, lexical=0))
    wider = (np.array([5, 4, 1]) + np.array([0.5, 0.4, 0.1])) / 11  # all words are rare, and one
    expected = (np.array([0, 3, 1]) + 2 * wider) / 6 / np.array([0.5, 0.4, 0.1])
    np.testing.assert_allclose(smoothed.scores[4], expected / expected.max())
    unseen = wider / np.array([0.5, 0.4, 0.1])
    for symbol in (UNK, 10):
        np.testing.assert_allclose(smoothed.scores[symbol], unseen / unseen.max())


def test_a_state_is_a_tag_with_its_factor() -> None:
    states, emissions = made(factors=True)
    pairs = {
        (int(states.names[g]) // 2, int(t)) for g, t in zip(states.groups, states.tags, strict=True)
    }
    assert pairs == {(8, 5), (8, 7), (9, 5), (9, 6), (UNK, 5), (UNK, 6), (UNK, 7)}
    assert emissions.keys.tolist() == [12, *(96, 100), *(108, 113, 114, 115)]
    np.testing.assert_allclose(emissions.scores[1], [1, 1, 0])  # of the factor alone
    share = np.array([5 / 6, 1 / 6])  # of tags 6 and 5 with factor 9
    word = (np.array([2, 1]) + 0.5 * share) / 3.5 / share
    np.testing.assert_allclose(emissions.scores[4, :2], word / word.max())


def test_a_frequent_word_makes_states_of_its_own() -> None:
    states, emissions = made(Smoothing(rare=10, prior=0.5, lexical=3))
    assert states.names.tolist() == [0, 9, 11]  # words 4 and 5
    assert emissions.groups[[4, 5, 6, 7]].tolist() == [1, 2, 0, 0]
    assert len(states.counts) == 3 + 2 + 2  # all tags, those of word 4, those of word 5
    np.testing.assert_allclose(emissions.scores[4], [1, 1, 0])
    assert (states.counts > 0).all()


def test_suffixes_are_smoothed_from_the_broadest_down() -> None:
    """Symbol 4 is a frequent word; 5 and 6 are rare ones of class 8, 7 of class 9; 9 is broader."""
    broader = (1, 1, 1, 1, 8, 8, 8, 9, 9, 1)
    n = np.zeros((10, 2))
    n[4], n[5], n[6], n[7] = (50, 0), (1, 0), (0, 2), (0, 3)
    share = np.array([0.7, 0.3])
    found = by_suffix(n, share, broader, rare=10)
    theta = share.std(ddof=1)
    root = (np.array([1, 5]) + share) / 7
    nine = (np.array([1, 5]) / 6 + theta * root) / (1 + theta)
    eight = (np.array([1, 2]) / 3 + theta * nine) / (1 + theta)
    for symbol, expected in ((UNK, root), (9, nine), (8, eight), (4, eight), (5, eight), (7, nine)):
        np.testing.assert_allclose(found[symbol], expected, err_msg=str(symbol))
    np.testing.assert_allclose(by_suffix(n, share, (), rare=10), np.tile(root, (10, 1)))


def test_a_class_that_stands_in_the_text_counts_itself() -> None:
    n = np.zeros((6, 2))
    n[5] = (30, 0)  # more often than rare: still a class
    found = by_suffix(n, np.array([0.5, 0.5]), (1, 1, 1, 1, 5, 1), rare=2)
    assert found[4, 0] > 0.98


@pytest.mark.parametrize("order", [1, 2])
def test_transitions_are_shared_out_by_leaving_one_out(order: int) -> None:
    states, _ = made()
    outer, grams = 3, [Counter[tuple[int, ...]]() for _ in range(4)]
    sentences = np.split(states.numbers, np.cumsum(observed().lengths)[:-1])
    for one in sentences:
        padded = [outer, outer, *one.tolist(), outer]
        for t in range(2, len(padded)):
            for n in range(1, 4):
                grams[n][tuple(padded[t + 1 - n : t + 1])] += 1
                grams[0][tuple(padded[t + 1 - n : t])] += 1  # histories, () too
    total = grams[0][()]
    votes = [0.0] * 3
    for gram, f in grams[order + 1].items():
        odds = []
        for n in range(1, order + 2):
            end, history = gram[len(gram) - n :], gram[len(gram) - n : -1]
            rest = (total if n == 1 else grams[0][history]) - 1
            odds.append((grams[n][end] - 1) / rest if rest else 0.0)
        votes[max(range(len(odds)), key=lambda i: (odds[i], i))] += f
    found = transitions_of(states.numbers, observed().lengths, states.counts, order)
    expected = np.array(votes) / sum(votes)
    expected[: order + 1] = np.maximum(expected[: order + 1], LEAST)
    np.testing.assert_allclose(found.shares, expected / expected.sum())
    np.testing.assert_allclose(found.ones, np.array([4, 5, 1, 4]) / 14)
    for key, p in zip(found.pair_keys.tolist(), found.pairs.tolist(), strict=True):
        b, c = divmod(key, 4)
        assert p == pytest.approx(grams[2][b, c] / grams[0][b,])
    for key, p in zip(found.triple_keys.tolist(), found.triples.tolist(), strict=True):
        a, b, c = key // 16, key // 4 % 4, key % 4
        assert p == pytest.approx(grams[3][a, b, c] / grams[0][a, b])
    assert len(found.triple_keys) == (len(grams[3]) if order == 2 else 0)
