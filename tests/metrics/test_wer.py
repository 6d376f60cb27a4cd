import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.wer import Wer

words = st.lists(st.sampled_from(["a", "b", "cc"]), max_size=6)


def test_by_hand() -> None:
    found = Wer().corpus(["x b c d f g h"], ["a b c d e f g"])
    assert found.value == pytest.approx(100 * 3 / 7)
    assert found.detail == {
        "substitutions": 1,
        "insertions": 1,
        "deletions": 1,
        "reference_length": 7,
    }


def test_totals_are_divided_not_rates_averaged() -> None:
    assert Wer().corpus(["x", "a b c"], ["a", "a b c"]).value == pytest.approx(25)


def test_nearest_reference_then_the_longer() -> None:
    assert Wer().corpus(["a b c"], [["x y z", "a b d"]]).value == pytest.approx(100 / 3)
    assert Wer().corpus(["a b"], [["a", "a b c"]]).value == pytest.approx(100 / 3)


def test_empty_sides() -> None:
    assert Wer().corpus([""], ["a b"]).value == 100
    assert Wer().corpus(["a b"], [""]).value == 100
    assert Wer().corpus([""], [""]).value == 0


def test_spaces_composition_and_case() -> None:
    assert Wer().corpus(["  cafe\u0301\t x "], ["caf\u00e9 x"]).value == 0
    assert Wer().corpus(["A b"], ["a b"]).value == 50
    assert Wer(lowercase=True).corpus(["A b"], ["a b"]).value == 0


@settings(deadline=None)
@given(words, words)
def test_counts_are_levenshteins(hypothesis: list[str], reference: list[str]) -> None:
    counts = Wer().stats(" ".join(hypothesis), [" ".join(reference)])
    assert counts[:3].sum() == _distance(tuple(hypothesis), tuple(reference))
    assert len(reference) + counts[1] - counts[2] == len(hypothesis)


def _distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """The recurrence of the distance, a row at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        above, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]
