"""The numbers of the experiment against plain torch."""

import math

import pytest
import torch

from saccade.explanations.base import explain


def test_weights_harden_with_the_width_unless_scaled() -> None:
    found = explain("scaling", draws=100, widest=256).figures
    assert found["entropy plain"] < 1
    assert found["entropy scaled"] > 3
    assert found["gradient plain"] < found["gradient scaled"]


def test_the_jacobian_is_that_of_a_softmax() -> None:
    noise = torch.Generator().manual_seed(1)
    query, keys = torch.randn(1, 1, 2, generator=noise), torch.randn(1, 5, 2, generator=noise)
    scores = (query @ keys.transpose(1, 2))[0, 0] / math.sqrt(2)
    jacobian = torch.func.jacrev(lambda e: e.softmax(0))(scores)
    found = explain("scaling", draws=1, places=5, widest=2).figures
    assert found["gradient scaled"] == pytest.approx(float(jacobian.norm()), rel=1e-5)
