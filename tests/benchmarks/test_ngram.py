"""The n-gram that the perplexity of a model is compared with."""

import pytest

from benchmarks.ngram import Ngram, places
from saccade.tokenizers._vocabulary import END, START

TEXTS = [[4, 5, 6], [4, 5], [6, 5, 5], [7]]
SIZE = 9


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_sum_to_one(order: int) -> None:
    """Also behind what was never seen."""
    model = Ngram(order, TEXTS, SIZE)
    for history in ([START], [START, 4], [4, 5], [8, 8], [5, 8]):
        kept = tuple(history[-order + 1 :]) if order > 1 else ()
        assert sum(model.probability(w, kept) for w in range(SIZE)) == pytest.approx(1.0)


def test_pieces_are_counted_with_end_and_short_histories() -> None:
    assert list(places([4, 5], 3)) == [((START,), 4), ((START, 4), 5), ((4, 5), END)]


def test_a_longer_history_predicts_a_pattern() -> None:
    pattern = [[4, 5, 4, 6] * 3] * 5
    one, two, three = (Ngram(n, pattern, SIZE).perplexity(pattern)[0] for n in (1, 2, 3))
    assert one > two > three > 1
    assert Ngram(1, pattern, SIZE).perplexity(pattern)[1] == 5 * 13
