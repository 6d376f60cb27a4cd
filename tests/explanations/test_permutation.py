"""What is said of order against attention written out by hand."""

import pytest
import torch

from saccade.attention.base import Attention
from saccade.attention.scaled_dot import ScaledDot
from saccade.explanations import permutation
from saccade.explanations.base import explain
from saccade.parts import Part, kinds

REMEMBER = {"coverage", "gaussian_mixture", "history", "location_aware"}
PLACED = {"gaussian_mixture", "history", "local", "location", "location_aware", "placed"}


def test_only_those_that_remember_or_know_places_change() -> None:
    found = explain("permutation").figures
    assert {key for key, share in found.items() if share} == {
        *(f"queries {kind}" for kind in REMEMBER),
        *(f"memory {kind}" for kind in PLACED),
    }
    assert len(found) == 2 * (len(kinds(Attention)) - 1)  # all but `none`, which reads nothing


@pytest.mark.parametrize("kind", sorted(REMEMBER))
def test_those_that_remember_are_recurrent(kind: str) -> None:
    assert Part(Attention, kind).build(4, 4).recurrent


def test_what_is_read_is_the_softmax_of_the_products() -> None:
    noise = torch.Generator().manual_seed(1)
    query, places = (torch.randn(1, n, 4, generator=noise) for n in (2, 5))
    weights = (query @ places.mT / 2).softmax(dim=2)
    read = permutation._read(ScaledDot(4, 4), query, places)
    torch.testing.assert_close(read, weights @ places)
