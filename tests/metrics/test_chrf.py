import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.chrf import Chrf

text = st.text("abcdé ", max_size=20)


def test_by_hand() -> None:
    """Of "ab" and "ac" one letter of two is shared, and no pair: P = R = (1/2 + 0) / 2."""
    assert Chrf().corpus(["ab"], ["ac"]).value == pytest.approx(25)


def test_recall_weighs_more() -> None:
    """P = 1 and R = 1/2 at the one order both have: 5 * 0.5 / (4 + 0.5); then turned about."""
    assert Chrf().corpus(["a"], ["ab"]).value == pytest.approx(100 * 2.5 / 4.5)
    assert Chrf().corpus(["ab"], ["a"]).value == pytest.approx(100 * 2.5 / 3)


def test_names_tell_the_variant() -> None:
    assert [Chrf(word_order=n).name for n in (0, 1, 2)] == ["chrF2", "chrF2+", "chrF2++"]


@settings(deadline=None)
@given(text, text)
def test_range_and_best(hypothesis: str, reference: str) -> None:
    for metric in (Chrf(), Chrf(word_order=2)):
        best = metric.corpus([reference], [reference]).value
        assert best == pytest.approx(100 if reference.strip() else 0)
        assert 0 <= metric.corpus([hypothesis], [reference]).value <= best + 1e-9
