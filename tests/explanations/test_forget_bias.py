"""Distances by forget bias."""

import pytest
import torch

from saccade.explanations._latch import LatchTask
from saccade.explanations.base import explain


def test_the_bits_to_keep_stand_first_and_are_marked() -> None:
    x, kept = LatchTask(distance=7, updates=1).texts("train", 20, seed=1)
    assert x.shape == (20, 8, 3)
    assert torch.equal(x[:, 0, :2], kept)
    assert (x[:, 0, 2] == 1).all()
    assert (x[:, 1:, 2] == 0).all()


@pytest.mark.slow
def test_a_larger_bias_reaches_farther() -> None:
    found = explain("forget_bias", seeds=1, farthest=40).figures
    assert found["reach of bias 0"] < found["reach of bias 5"]
