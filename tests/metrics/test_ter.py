import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.ter import Ter
from saccade.metrics.wer import Wer

words = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)


def test_moving_a_phrase_is_one_edit() -> None:
    found = Ter().corpus(["d e f a b c"], ["a b c d e f"])
    assert found.value == pytest.approx(100 / 6)
    assert found.detail == {"edits": 1, "reference_length": 6}


def test_case_is_ignored() -> None:
    assert Ter().corpus(["A b"], ["a B"]).value == 0


@settings(deadline=None)
@given(words, words)
def test_moves_never_cost_more_than_words(hypothesis: str, reference: str) -> None:
    found = Ter().corpus([hypothesis], [reference]).value
    assert 0 <= found <= Wer().corpus([hypothesis], [reference]).value + 1e-9
    assert Ter().corpus([reference], [reference]).value == 0
