import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.metrics.base import interval, paired
from saccade.metrics.cider import Cider, cider_d, document_frequencies
from tests.metrics.caption_reference import captions_of_people, peer

words = st.sampled_from(["a", "the", "dog", "cat", "runs", "sits", "red", "ball"])
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)
corpora = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=2)
SYNTHETIC = (
    ["a dog runs", "two red cats sit on a mat", "", "the the the"],
    [["a dog runs", "the dog is running"], ["two cats sit"], ["a bird"], ["the cat the", "a the"]],
)


def _expected(hypotheses: list[str], references: list[list[str]]) -> tuple[float, list[float]]:
    scorer = peer("cider.cider_scorer").CiderScorer()
    for hypothesis, row in zip(hypotheses, references, strict=True):
        scorer += (hypothesis, row)
    mean, each = scorer.compute_score()
    return float(mean), [float(value) for value in each]


def test_by_hand() -> None:
    """Two pictures, no n-gram in both: every weight is log 2; 2 of 3 words, 1 of 2 pairs agree."""
    frequencies = document_frequencies([["red dog runs"], ["old cat sits"]])
    (found,) = cider_d(["red dog sits"], [["red dog runs"]], frequencies)
    assert found == pytest.approx(10 * (2 / 3 + 1 / 2 + 0 + 0) / 4)
    (shorter,) = cider_d(["red dog"], [["red dog runs"]], frequencies)
    cosines = 2 / math.sqrt(6) + 1 / math.sqrt(2)
    assert shorter == pytest.approx(10 * cosines / 4 * math.exp(-1 / 72))


def test_repeating_a_rare_word_gains_nothing() -> None:
    """Clipping: the second "red" adds to the length of the vector, and to no match."""
    frequencies = document_frequencies([["red dog runs"], ["old cat sits"]])
    once, twice = cider_d(["red dog runs", "red red dog"], [["red dog runs"]] * 2, frequencies)
    assert twice < once


def test_what_every_picture_has_counts_nothing() -> None:
    assert Cider().corpus(["a dog"], ["a dog"]).value == 0
    frequencies = document_frequencies([["a dog"], ["a cat"]])
    assert frequencies.rarity[("a",)] == 0
    assert cider_d(["a"], [["a dog"]], frequencies).tolist() == [0]


def test_the_best_is_a_thousand() -> None:
    lines = ["two men play chess", "one bird sings in spring"]
    assert Cider().corpus(lines, lines).value == pytest.approx(1000)


def test_one_segment_needs_a_set() -> None:
    with pytest.raises(DataError, match="CIDEr-D: one segment was given without a set; it weighs"):
        Cider().stats("a", ["a"])


def test_readings() -> None:
    lines = ["A dog runs .", "Two cats sit ."]
    plain = ["a dog runs", "two cats sit"]
    found = Cider().corpus(lines, plain)
    assert found.value == pytest.approx(750)  # three words have no n-gram of four
    assert "tok:captions" in found.signature
    kept = Cider(tokenize="none").corpus(lines, plain)
    assert kept.value < 750
    assert "tok:none" in kept.signature


@settings(deadline=None)
@given(corpora)
def test_range_order_and_mean(corpus: list[tuple[str, list[str]]]) -> None:
    hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
    frequencies = document_frequencies(references)
    each = cider_d(hypotheses, references, frequencies)
    assert np.all(each >= 0)
    assert np.all(each <= 10 + 1e-9)
    turned = cider_d(hypotheses, [row[::-1] for row in references], frequencies)
    assert turned == pytest.approx(each)
    found = Cider(tokenize="none").corpus(hypotheses, references)
    assert found.value == pytest.approx(100 * each.mean())


@settings(deadline=None)
@given(corpora)
def test_nothing_is_better_than_the_reference(corpus: list[tuple[str, list[str]]]) -> None:
    hypotheses, references = [h for h, _ in corpus], [r[:1] for _, r in corpus]
    frequencies = document_frequencies(references)
    best = cider_d([row[0] for row in references], references, frequencies)
    assert np.all(best >= cider_d(hypotheses, references, frequencies) - 1e-9)


def test_bootstrap() -> None:
    references = [["a dog runs fast"], ["a cat sits down"], ["two birds fly off"]] * 10
    good = ["a dog runs", "a cat sits", "two birds fly"] * 10
    found = interval(Cider(), good, references, samples=50)
    assert found.low <= found.value <= found.high
    bad = ["a bird"] * 30
    assert paired(Cider(), good, bad, references, samples=50).p_value < 0.05


def test_equals_the_peer_on_made_up_text() -> None:
    hypotheses, references = SYNTHETIC
    mean, each = _expected(hypotheses, references)
    found = cider_d(hypotheses, references, document_frequencies(references))
    assert found == pytest.approx(each, abs=1e-9)
    assert Cider().corpus(hypotheses, references).value == pytest.approx(100 * mean, abs=1e-6)


def test_equals_the_peer_on_captions() -> None:
    hypotheses, references = captions_of_people(300)
    mean, each = _expected(hypotheses, references)
    found = cider_d(hypotheses, references, document_frequencies(references))
    assert found == pytest.approx(each, abs=1e-6)
    assert Cider().corpus(hypotheses, references).value == pytest.approx(100 * mean, abs=1e-6)
