import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.error_rate import ErrorRate
from saccade.metrics.exact_match import ExactMatch


def test_by_hand() -> None:
    found = ErrorRate().corpus(["K AE T", "D AO"], [["K AE T"], ["D AO G", "D AA G"]])
    assert found.value == 50
    assert found.detail == {"wrong": 1, "segments": 2}


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("aA ", max_size=2), st.text("aA ", max_size=2)), min_size=1))
def test_is_what_exact_match_leaves(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    for lowercase in (False, True):
        wrong = ErrorRate(lowercase=lowercase).corpus(hypotheses, references).value
        right = ExactMatch(lowercase=lowercase).corpus(hypotheses, references).value
        assert wrong == pytest.approx(100 - right)
