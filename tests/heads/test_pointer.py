import torch
from torch.testing import assert_close

from saccade.heads.pointer import PointerHead
from tests.samples import randn, scramble

SYMBOLS = torch.tensor([[4, 5, 4], [6, 3, 0]])
WEIGHTS = torch.tensor([[[0.5, 0.25, 0.25]], [[0.2, 0.2, 0.0]]])  # the last do not sum to one


def test_the_mixture_by_hand() -> None:
    head, f = scramble(PointerHead(5, 7, None)), randn(2, 1, 5)
    features = head.extend(f, WEIGHTS, SYMBOLS)
    assert features.shape == (2, 1, 5 + 1 + 7)
    copied = torch.zeros(2, 1, 7)
    copied[0, 0, 4], copied[0, 0, 5], copied[1, 0, 6], copied[1, 0, 3] = 0.75, 0.25, 0.5, 0.5
    g = torch.sigmoid(head.switch(f))  # [B, 1, 1]
    expected = g * head.symbols.log_probs(f).exp() + (1 - g) * copied
    assert_close(head.log_probs(features).exp(), expected)
    assert_close(head.generating(features), g[:, :, 0])


def test_without_weights_nothing_is_copied() -> None:
    head, f = scramble(PointerHead(5, 7, None)), randn(2, 1, 5)
    found = head.log_probs(head.extend(f, torch.zeros_like(WEIGHTS), SYMBOLS))
    assert_close(found, head.symbols.log_probs(f))
