import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.metrics.accuracy import Accuracy
from saccade.metrics.base import interval
from saccade.metrics.exact_match import ExactMatch
from saccade.metrics.f1 import F1

labels = st.sampled_from(["good", "bad", "so so"])
corpora = st.lists(st.tuples(labels, labels), min_size=1, max_size=12)


def test_by_hand() -> None:
    """Good: 2 right, 3 written, 2 wanted: 4/5. Bad: 0 of 0 written and 1 wanted: 0."""
    found = F1().corpus(["good", "good", "good"], ["good", "good", "bad"])
    assert found.value == pytest.approx(100 * (4 / 5 + 0) / 2)
    assert found.detail["micro"] == pytest.approx(100 * 2 / 3)
    assert found.detail["weighted"] == pytest.approx(100 * (2 * 4 / 5) / 3)
    assert found.detail["f1 good"] == pytest.approx(80)
    assert found.detail["f1 bad"] == 0
    assert found.detail["labels"] == 2


def test_what_is_no_label_counts_as_written() -> None:
    found = F1(average="micro").corpus(["good", "gut"], ["good", "good"])
    assert found.value == pytest.approx(100 * 2 * 1 / 4)
    assert "f1 gut" not in found.detail


def test_tags_are_compared_place_by_place() -> None:
    found = F1(average="micro", unit="words").corpus(["N V"], ["N N V"])
    assert found.value == pytest.approx(100 * 2 * 1 / 5)


def test_one_of_several_references_is_enough() -> None:
    assert F1().corpus(["bad", "good"], [["good", "bad"], ["good"]]).value == 100


def test_names_and_signature() -> None:
    assert [F1(average=a).name for a in ("macro", "micro")] == ["macro F1", "micro F1"]
    assert "unit:words" in F1(unit="words").corpus(["a"], ["a"]).signature


def test_one_segment_needs_a_set() -> None:
    with pytest.raises(DataError, match="macro F1: one segment was given without a set"):
        F1().stats("a", ["a"])


def test_text_is_refused() -> None:
    texts = [f"text {n}" for n in range(1001)]
    with pytest.raises(DataError, match="macro F1: the references have 1001 labels; expected at"):
        F1().corpus(texts, texts)


@settings(deadline=None)
@given(corpora)
def test_micro_is_accuracy(corpus: list[tuple[str, str]]) -> None:
    ours, theirs = [one for one, _ in corpus], [other for _, other in corpus]
    micro = F1(average="micro").corpus(ours, theirs).value
    assert micro == pytest.approx(ExactMatch().corpus(ours, theirs).value)
    tags = [text.replace(" ", "") for text in ours], [text.replace(" ", "") for text in theirs]
    words = F1(average="micro", unit="words").corpus(*tags).value
    assert words == pytest.approx(Accuracy().corpus(*tags).value)


def test_bootstrap() -> None:
    theirs = ["good", "bad", "bad"] * 20
    found = interval(F1(), ["good", "bad", "good"] * 20, theirs, samples=50)
    assert found.low <= found.value <= found.high
