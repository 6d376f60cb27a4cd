import math

import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive


def test_additive_by_hand() -> None:
    """One query 2, states 1 and 3, W = U = v = 1, b = 0: e = tanh(3), tanh(5)."""
    attention = Additive(1, 1, hidden=1)
    with torch.no_grad():
        for layer in (attention.W, attention.U, attention.v):
            layer.weight.fill_(1.0)
        attention.U.bias.zero_()
    prepared = attention.prepare(torch.tensor([[[1.0], [3.0]]]))
    mask = torch.ones(1, 1, 2, dtype=torch.bool)
    context, weights, _ = attention(torch.tensor([[[2.0]]]), prepared, mask, {}, look=True)
    first, second = math.exp(math.tanh(3)), math.exp(math.tanh(5))
    total = first + second
    assert weights is not None
    assert_close(weights.flatten().tolist(), [first / total, second / total])
    assert_close(context.item(), (1 * first + 3 * second) / total)


def test_widths_may_differ() -> None:
    attention = Additive(3, 5, hidden=7)
    prepared = attention.prepare(torch.zeros(2, 4, 5))
    mask = torch.ones(2, 1, 4, dtype=torch.bool)
    assert attention(torch.zeros(2, 6, 3), prepared, mask, {}).context.shape == (2, 6, 5)
