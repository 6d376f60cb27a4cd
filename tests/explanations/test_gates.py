"""The loss of clamped language models."""

import math

import pytest
import torch

from saccade.explanations.base import explain
from saccade.explanations.gates import ClampedGates, _measured
from saccade.look.clamping import clamped


def test_with_an_empty_memory_nothing_depends_on_what_was_read() -> None:
    predictor, held_out = ClampedGates(width=8, updates=3)._trained("lstm")
    model = clamped(predictor.model, {"forget": 0, "input": 0})
    with torch.no_grad():
        log_probs = model.head.log_probs(model(held_out).features)  # [B, T, V]
    assert torch.equal(log_probs[:, 1:], log_probs[:1, 1:2].expand_as(log_probs[:, 1:]))
    gold = log_probs.gather(2, held_out.target.values[:, :, None])[held_out.target.mask]
    bits, text = _measured(predictor, held_out, {"forget": 0, "input": 0})
    assert bits == pytest.approx(-float(gold.mean()) / math.log(2), rel=1e-4)
    assert len(set(text)) <= 1


@pytest.mark.slow
def test_no_gate_can_be_spared() -> None:
    found = explain("gates").figures
    for cell in ("LSTM", "GRU"):
        others = [bits for name, bits in found.items() if name.startswith(f"{cell} ")]
        assert min(others) == found[f"{cell} as trained"] < 2
