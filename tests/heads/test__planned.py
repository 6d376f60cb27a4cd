"""The planned head is nearly sure of one symbol."""

import math

import pytest
import torch
from torch.testing import assert_close

from saccade.heads._planned import PlannedHead


def test_it_writes_what_is_planned() -> None:
    head, features = PlannedHead(1, 5, None, doubt=0.1), torch.tensor([[[3], [0]]])
    found = head.log_probs(features)
    assert_close(found.exp().sum(dim=-1), torch.ones(1, 2))
    assert_close(found[0, :, 3].exp(), torch.tensor([0.92, 0.02]))
    assert torch.equal(head.best(features), torch.tensor([[3, 0]]))
    total, each = head.loss(features[0], torch.tensor([3, 4]))
    assert float(total) == pytest.approx(-math.log(0.92) - math.log(0.02))
    assert_close(each, torch.tensor([-math.log(0.92), -math.log(0.02)]))
