"""Edits between two sequences, counted by kind."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.metrics._edits import detail, edits, rate

words = st.lists(st.sampled_from("abc"), max_size=6)


def brute(a: list[str], b: list[str]) -> int:
    """Count edits by the recurrence, without a table."""
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return brute(a[1:], b[1:])
    return 1 + min(brute(a[1:], b), brute(a, b[1:]), brute(a[1:], b[1:]))


@given(words, words)
def test_counts_agree_with_the_definition(hypothesis: list[str], reference: list[str]) -> None:
    found = edits(hypothesis, [reference])
    assert found[:3].sum() == brute(hypothesis, reference)
    assert found[1] - found[2] == len(hypothesis) - len(reference), "insertions less deletions"
    assert found[3] == len(reference)


def test_the_nearest_reference_counts_and_of_equals_the_longest() -> None:
    assert edits("abc", ["xyz", "abd", "abcd"]).tolist() == [0, 0, 1, 4]
    assert edits("abc", ["abd", "abx"]).tolist() == [1, 0, 0, 3]
    assert detail(edits("ab", ["b"])) == {
        "substitutions": 0.0,
        "insertions": 1.0,
        "deletions": 0.0,
        "reference_length": 1.0,
    }


def test_rates_of_empty_references() -> None:
    assert rate(np.array([0.0, 0.0, 0.0, 0.0])) == 0.0
    assert rate(np.array([0.0, 2.0, 0.0, 0.0])) == 100.0
    assert rate(np.array([1.0, 1.0, 0.0, 4.0])) == 50.0
