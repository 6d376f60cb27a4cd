import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.bilinear import Bilinear
from saccade.attention.dot import Dot
from saccade.attention.scaled_dot import ScaledDot
from saccade.errors import ShapeError
from tests.samples import mask_of, randn

MASK = mask_of(5, 2, 3)[:, None]


def read(attention: Attention, query: Tensor) -> Tensor:
    context: Tensor = attention(query, attention.prepare(randn(3, 5, 8)), MASK, {}).context
    return context


def test_dot_is_bilinear_with_the_identity() -> None:
    bilinear, query = Bilinear(8, 8), randn(3, 4, 8, seed=2)
    with torch.no_grad():
        bilinear.W.weight.copy_(torch.eye(8))
    assert_close(read(Dot(8, 8), query), read(bilinear, query))


def test_scaled_dot_is_dot_of_a_shorter_query() -> None:
    query = randn(3, 4, 8, seed=2)
    assert_close(read(ScaledDot(8, 8), query), read(Dot(8, 8), query / math.sqrt(8)))


def test_scaled_dot_is_torchs() -> None:
    query, states = randn(3, 4, 8, seed=2), randn(3, 5, 8)
    expected = scaled_dot_product_attention(query, states, states, attn_mask=MASK)
    assert_close(read(ScaledDot(8, 8), query), expected)


@pytest.mark.parametrize(("kind", "name"), [(Dot, "dot"), (ScaledDot, "scaled_dot")])
def test_a_product_needs_equal_widths(kind: type[Dot] | type[ScaledDot], name: str) -> None:
    message = (
        f"attention {name}: the query has width 4 but the states have 6; they must be equal."
        " Change hidden, or use bilinear, which has a matrix between them."
    )
    with pytest.raises(ShapeError, match=message):
        kind(4, 6)
