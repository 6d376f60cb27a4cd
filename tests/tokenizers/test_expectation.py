import math
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from saccade.tokenizers import _expectation
from saccade.tokenizers._expectation import log_probabilities

PIECES = ["a", "b", "c", "ab", "bc", "abc"]
WORDS = Counter({"abc": 5, "ab": 3, "cab": 2, "b": 1})


def cuts(word: str) -> Iterator[list[str]]:
    if not word:
        yield []
    for end in range(1, len(word) + 1):
        if word[:end] in PIECES:
            for rest in cuts(word[end:]):
                yield [word[:end], *rest]


def by_listing(rounds: int) -> list[float]:
    """Do the same by listing every cut of every word."""
    expected: dict[str, float] = defaultdict(float)
    for word, n in WORDS.items():
        for i in range(len(word)):
            for j in range(i + 1, len(word) + 1):
                expected[word[i:j]] += n
    scores: dict[str, float] = {}
    for turn in range(rounds + 1):
        held = {piece: max(expected[piece], 0.01) for piece in PIECES}
        scores = {piece: math.log(n / sum(held.values())) for piece, n in held.items()}
        if turn == rounds:
            break
        new: dict[str, float] = dict.fromkeys(PIECES, 0.0)
        for word, n in WORDS.items():
            odds = [math.exp(sum(scores[p] for p in cut)) for cut in cuts(word)]
            for odd, cut in zip(odds, cuts(word), strict=True):
                for piece in cut:
                    new[piece] += n * odd / sum(odds)
        expected = new
    return [scores[piece] for piece in PIECES]


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_equals_listing_every_cut(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_expectation, "_ROUNDS", rounds)
    assert log_probabilities(PIECES, WORDS) == pytest.approx(by_listing(rounds))


def test_words_of_unknown_characters_are_left_out() -> None:
    found = log_probabilities(PIECES, WORDS + Counter({"abż": 9}))
    assert found == log_probabilities(PIECES, WORDS)


def test_the_commonest_words_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_expectation, "_MOST_CHARACTERS", 5)
    assert log_probabilities(PIECES, WORDS) == log_probabilities(PIECES, Counter(abc=5, ab=3))
