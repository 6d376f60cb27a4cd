"""A whole sequence in one vector."""

import pytest
import torch
from torch import nn

from saccade.attention.base import Attention
from saccade.errors import ShapeError
from saccade.flow import Memory
from saccade.models._pooling import pooled, pooling_attention
from saccade.parts import Part


def test_padding_is_not_read_and_the_summary_stands_behind() -> None:
    attention = pooling_attention("x", Part(Attention, "dot"), 2)
    states = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]]])
    memory = Memory(states, torch.tensor([[True, True, False]]), torch.tensor([[5.0, 6.0]]))
    both, weights = pooled(attention, torch.zeros(1, 2), memory, nn.Identity(), look=True)
    assert both.tolist() == [[0.5, 0.5, 5.0, 6.0]]
    assert weights is not None
    assert weights.tolist() == [[[[0.5, 0.5, 0.0]]]]
    assert pooled(attention, torch.zeros(1, 2), memory, nn.Identity(), look=False)[1] is None


def test_an_attention_that_chooses_is_refused() -> None:
    said = "classifier: attention hard chooses places and learns by its choices, but this model"
    with pytest.raises(ShapeError, match=said):
        pooling_attention("classifier", Part(Attention, "hard"), 4)
