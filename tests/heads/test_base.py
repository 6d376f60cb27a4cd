import torch

from saccade.heads.base import anchored
from tests.samples import randn


def test_an_anchor_stands_behind_every_place() -> None:
    f, anchor = randn(2, 3, 4), randn(2, 2, seed=2)
    assert anchored(f, None) is f
    assert torch.equal(anchored(f, anchor)[:, 1], torch.cat([f[:, 1], anchor], dim=1))
    assert torch.equal(anchored(f[:, 0], anchor), torch.cat([f[:, 0], anchor], dim=1))
