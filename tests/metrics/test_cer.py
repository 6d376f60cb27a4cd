import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.cer import Cer

text = st.text("abé", max_size=8)


def _distance(a: str, b: str) -> float:
    return float(Cer().stats(a, [b])[:3].sum())


def test_by_hand() -> None:
    """The textbook pair: kitten, sitting; three edits over seven letters."""
    found = Cer().corpus(["kitten"], ["sitting"])
    assert found.value == pytest.approx(100 * 3 / 7)
    assert found.detail["substitutions"] == 2
    assert found.detail["deletions"] == 1


def test_spaces_inside_count_and_outside_do_not() -> None:
    assert Cer().corpus([" ab c "], ["a bc"]).value == pytest.approx(50)


def test_composition_and_case() -> None:
    assert Cer().corpus(["e\u0301A"], ["\u00e9A"]).value == 0
    assert Cer(lowercase=True).corpus(["AB"], ["ab"]).value == 0


@settings(deadline=None)
@given(text, text, text)
def test_edit_distance_is_a_metric(a: str, b: str, c: str) -> None:
    assert (_distance(a, b) == 0) == (a == b)
    assert _distance(a, b) == _distance(b, a)
    assert _distance(a, c) <= _distance(a, b) + _distance(b, c)
