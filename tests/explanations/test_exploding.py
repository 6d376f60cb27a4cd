"""Gradients with clipping and without."""

import pytest

from saccade.explanations.base import explain


def test_clipping_that_never_acts_changes_nothing() -> None:
    found = explain("exploding", distance=6, updates=5, clip=1e6).figures
    for name in ("largest norm", "largest loss", "last loss", "bits right"):
        assert found[f"clipped: {name}"] == found[f"not clipped: {name}"]


@pytest.mark.slow
def test_clipping_makes_the_difference() -> None:
    found = explain("exploding").figures
    assert found["clipped: bits right"] > 0.95
    assert found["not clipped: bits right"] < 0.7
    assert found["not clipped: largest loss"] > 2
