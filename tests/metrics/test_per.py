import pytest

from saccade.metrics.error_rate import ErrorRate
from saccade.metrics.per import Per
from saccade.metrics.wer import Wer


def test_phones_by_hand() -> None:
    found = Per().corpus(["h ə l ɔ", "k æ t s"], ["h ə l oʊ", "k æ t"])
    assert found.value == pytest.approx(100 * 2 / 7)
    assert found.detail == {
        "substitutions": 1,
        "insertions": 1,
        "deletions": 0,
        "reference_length": 7,
    }
    assert found.name == "PER"
    assert not found.higher_is_better


def test_it_is_not_what_the_field_calls_wer() -> None:
    outputs, wanted = ["h ə l ɔ", "k æ t"], ["h ə l oʊ", "k æ t"]
    assert ErrorRate().corpus(outputs, wanted).value == 50
    assert Per().corpus(outputs, wanted).value == pytest.approx(100 / 7)
    assert Per().corpus(outputs, wanted).value == Wer().corpus(outputs, wanted).value


def test_labels_say_what_is_counted() -> None:
    assert ErrorRate.label == "error rate (wrong outputs; WER in pronunciation)"
    assert Per.label == "PER (phone error rate)"
    assert Wer.label == "WER (edits of words)"


def test_the_edges() -> None:
    assert Per().corpus([""], ["a b"]).value == 100
    assert Per().corpus([""], [""]).value == 0
    assert Per(lowercase=True).corpus(["A"], ["a"]).value == 0
