"""The phrase table: counts become probabilities, and a damaged table is refused."""

import re
from math import exp

import numpy as np
import pytest

from saccade.models import _phrase_table as tables
from saccade.models._phrase_table import PhraseTable, fault
from saccade.models._phrases import aligned, extract
from saccade.models.base import LaidSide

A, B, X, Y, Z = 4, 5, 4, 5, 6
SIZES = (6, 7)


def table(most: int = 20) -> PhraseTable:
    """A is X twice and Y once; B is Z, and A B is X Z twice."""
    source = LaidSide(np.array([A, B, A, B, A]), np.array([2, 2, 1]))
    target = LaidSide(np.array([X, Z, X, Z, Y]), np.array([2, 2, 1]))
    links = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1), (2, 0, 0)], np.int32)
    given = aligned(source, target, links)
    return tables.build(given, extract(given, 3), SIZES, 3, most)


def found(given: PhraseTable, *words: int) -> dict[tuple[int, ...], np.ndarray]:
    node = 0
    for word in words:
        node = int(np.searchsorted(given.keys, node * SIZES[0] + word))
        assert given.keys[node] % SIZES[0] == word
    options = range(given.options[node], given.options[node + 1])
    return {
        tuple(given.words[given.begins[o] : given.begins[o + 1]].tolist()): given.features[o]
        for o in options
    }


def test_probabilities_are_shares_of_counts() -> None:
    options = found(table(), A)
    assert list(options) == [(X,), (Y,)]
    back, lex_back, there, lex_there = np.exp(options[X,][:4])
    assert (back, there) == pytest.approx((1.0, 2 / 3))
    assert (lex_back, lex_there) == pytest.approx((1.0, 2 / 3))
    assert np.exp(options[Y,][2]) == pytest.approx(1 / 3)


def test_lexical_weights_are_products_over_words() -> None:
    (features,) = found(table(), A, B).values()
    assert exp(features[3]) == pytest.approx(2 / 3 * 1.0)  # X given A, Z given B
    assert exp(features[1]) == pytest.approx(1.0)


def test_a_word_without_links_is_a_translation_of_nothing() -> None:
    source = LaidSide(np.array([A, A]), np.array([1, 1]))
    target = LaidSide(np.array([X, Z, X]), np.array([2, 1]))
    given = aligned(source, target, np.array([(0, 0, 0), (1, 0, 0)], np.int32))
    options = found(tables.build(given, extract(given, 3), SIZES, 3, 9), A)
    assert exp(options[X, Z][3]) == pytest.approx(1.0)  # Z is all that nothing is linked to
    assert exp(options[X,][3]) == pytest.approx(1.0)


def test_turns_are_counted_with_half_an_occurrence_more() -> None:
    options = found(table(), A)
    assert options[X,][4:7] == pytest.approx(np.log([2.5 / 3.5, 0.5 / 3.5, 0.5 / 3.5]), abs=1e-6)


def test_only_the_best_translations_are_kept() -> None:
    assert list(found(table(most=1), A)) == [(X,)]


def test_it_is_whole_and_so_is_the_empty_one() -> None:
    assert fault(table(), SIZES, 3) == ""
    assert fault(tables.empty(), SIZES, 3) == ""
    assert table().features[:, -1].tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t._replace(words=t.words.astype(np.int64)), "its numbers are int64, int32"),
        (lambda t: t._replace(begins=t.begins[:-1]), r"its arrays have the shapes \[4\], \[5\]"),
        (lambda t: t._replace(keys=t.keys[::-1].copy()), "its phrases are not in order"),
        (lambda t: t._replace(keys=t.keys + (t.keys > 0) * 60), "a phrase stands before its begin"),
        (lambda t: t._replace(options=t.options + 1), "its phrases do not find their translations"),
        (lambda t: t._replace(begins=t.begins + 1), "its translations do not find their words"),
        (lambda t: t._replace(words=t.words + 90), "a word is not of the vocabulary"),
        (lambda t: t._replace(features=t.features * np.float32("nan")), "a number is not finite"),
        (lambda t: t._replace(features=1 - t.features), "a probability is above 1"),
    ],
)
def test_a_damaged_table_is_refused(change, told: str) -> None:  # type: ignore[no-untyped-def]
    assert re.search(told, fault(change(table()), SIZES, 3))


def test_too_long_translations_are_refused() -> None:
    assert fault(table(), SIZES, 1) == "a translation does not have 1 to 1 words"
