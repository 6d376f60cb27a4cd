import pytest

from saccade.metrics.accuracy import Accuracy


def test_counts_places() -> None:
    found = Accuracy().corpus(["D N V", "D"], ["D N N", "D N"])
    assert found.value == pytest.approx(100 * 3 / 5)
    assert found.detail == {"right": 3, "places": 5}


def test_takes_the_reference_that_agrees_most() -> None:
    assert Accuracy(lowercase=True).corpus(["d n"], [["X X", "D N"]]).value == 100
