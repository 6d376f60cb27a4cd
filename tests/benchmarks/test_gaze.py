"""The port sees what the retina sees, and all are timed."""

import torch

from benchmarks.gaze import Port, batch_of, compared
from saccade.glimpses.base import Pictures
from saccade.glimpses.retina import Retina


def test_the_port_sees_the_same_patches() -> None:
    pixels = batch_of(2, 28).source.values.permute(0, 3, 1, 2) / 255
    where = torch.zeros(2, 2)  # elsewhere the two have other edges
    ours = Retina(1, size=8, scales=2)(Pictures(pixels, torch.tensor([[28, 28]] * 2)), where)
    assert torch.allclose(Port(8, 2, 2, 4, 4).retina(pixels, where), ours)


def test_all_are_timed() -> None:
    figures = compared(8, (2, 1, 2, 4, 4), rows=3, rounds=1)
    assert figures["auto ratio"] == figures["port"] / figures["auto"] > 0
    assert figures["float32 ratio"] == figures["port"] / figures["float32"] > 0
