import math

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.location import Location
from saccade.errors import RecipeError, ShapeError
from tests.samples import mask_of, randn, scramble


def test_location_by_hand() -> None:
    """Query 2 and W = (0, 1, 5): e = 0, 2 at the two places there are; the third row is unused."""
    attention = Location(1, 1, most=3)
    with torch.no_grad():
        attention.W.weight.copy_(torch.tensor([[0.0], [1.0], [5.0]]))
    prepared = attention.prepare(torch.tensor([[[10.0], [20.0]]]))
    mask = torch.ones(1, 1, 2, dtype=torch.bool)
    context, weights, _ = attention(torch.tensor([[[2.0]]]), prepared, mask, {}, look=True)
    total = 1 + math.exp(2)
    assert weights is not None
    assert_close(weights.flatten().tolist(), [1 / total, math.exp(2) / total])
    assert_close(context.item(), (10 + 20 * math.exp(2)) / total)


def test_what_stands_at_a_place_is_not_asked() -> None:
    attention, mask = scramble(Location(8, 6)), mask_of(5, 2, 3)[:, None]
    query = randn(3, 4, 8)
    one = attention(query, attention.prepare(randn(3, 5, 6)), mask, {}, look=True)
    other = attention(query, attention.prepare(randn(3, 5, 6, seed=2)), mask, {}, look=True)
    assert_close(one.weights, other.weights)


def test_a_source_longer_than_most_is_refused() -> None:
    attention = Location(8, 8, most=4)
    prepared = attention.prepare(randn(2, 5, 8))
    message = (
        "attention location: the source has 5 places but there are weights for 4; the source must"
        " not be longer. Raise most and train again, or limit the length of the source."
    )
    with pytest.raises(ShapeError, match=message):
        attention(randn(2, 1, 8), prepared, mask_of(5, 5)[:, None], {})


def test_most_is_at_least_one() -> None:
    with pytest.raises(RecipeError, match=r"location.most: 0 is below 1; it is the most places"):
        Location(8, 8, most=0)
