import pytest

from saccade.metrics.exact_match import ExactMatch


def test_by_hand() -> None:
    found = ExactMatch().corpus(["a", "b", "c "], ["a", "x", "c"])
    assert found.value == pytest.approx(100 * 2 / 3)
    assert found.detail == {"right": 2, "segments": 3}


def test_any_reference_will_do() -> None:
    assert ExactMatch().corpus(["b"], [["a", "b"]]).value == 100


def test_composition_and_case() -> None:
    assert ExactMatch().corpus(["cafe\u0301"], ["caf\u00e9"]).value == 100
    assert ExactMatch().corpus(["A"], ["a"]).value == 0
    assert ExactMatch(lowercase=True).corpus(["A"], ["a"]).value == 100
    assert ExactMatch(lowercase=True).corpus(["A"], ["a"]).signature == "case:lc|norm:nfc"


def test_space_inside_counts() -> None:
    assert ExactMatch().corpus(["a  b"], ["a b"]).value == 0
