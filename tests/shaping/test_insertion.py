"""What every symbol is paid."""

import torch

from saccade.shaping.insertion import Insertion
from saccade.tokenizers._vocabulary import END


def test_every_symbol_but_end_is_paid() -> None:
    log_probs = torch.randn(2, 6)
    found = Insertion(1.5)(torch.zeros(2, 3).long(), log_probs)
    expected = log_probs + 1.5
    expected[:, END] -= 1.5
    assert torch.allclose(found, expected)
    assert torch.equal(found[:, END], log_probs[:, END])
