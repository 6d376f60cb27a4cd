"""Gradients with attention and without."""

from saccade.explanations.base import explain


def test_attention_brings_the_gradient_to_far_places() -> None:
    found = explain("shortcut", places=20, width=16, updates=0 + 1).figures
    assert found["first by last, no attention"] < 0.01
    assert found["first by last, attention"] > 0.1
