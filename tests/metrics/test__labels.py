import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.metrics._labels import OTHER, confusion, pairs_of

labels = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=9)


def test_confusion_by_hand() -> None:
    found = confusion(["a", "b", "z", "b"], ["a", "a", "b", "b"])
    assert found.labels == ("a", "b", OTHER)
    assert found.counts.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]


def test_words_that_are_missing_or_too_many() -> None:
    found = confusion(["N V", "N"], ["N", "N V"], unit="words")
    assert found.labels == ("N", "V", OTHER)
    assert found.counts.tolist() == [[2, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_the_nearest_reference_counts() -> None:
    near = [("a", "a"), ("b", "b"), ("c", "")]  # one place wrong; "a c b" has two
    assert pairs_of("a b", ["a c b", "a b c"], "words") == near
    assert pairs_of("x", ["b", "a"], "text") == [("a", "x")]
    assert pairs_of("", [""], "text") == []


@given(labels)
def test_the_table_holds_every_label_once(wanted: list[str]) -> None:
    counts = confusion(wanted, wanted).counts
    assert counts.sum() == np.trace(counts) == len(wanted)
