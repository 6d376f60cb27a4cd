"""The encoder that adds nothing."""

import torch

from saccade.encoders.none import NoEncoder
from saccade.flow import Padded


def test_vectors_are_the_memory_and_their_mean_the_summary() -> None:
    values = torch.tensor([[[1.0, 2.0], [3.0, 6.0]], [[5.0, 5.0], [7.0, 7.0]]])
    mask = torch.tensor([[True, True], [True, False]])
    memory = NoEncoder(2)(Padded(values, mask))
    assert memory.states.tolist() == [[[1, 2], [3, 6]], [[5, 5], [0, 0]]]
    assert memory.summary.tolist() == [[2, 4], [5, 5]]
    assert memory.mask is mask


def test_a_source_without_places_has_a_summary_of_zeros() -> None:
    memory = NoEncoder(2)(Padded(torch.ones(1, 3, 2), torch.zeros(1, 3, dtype=torch.bool)))
    assert memory.summary.tolist() == [[0, 0]]
