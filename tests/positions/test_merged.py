"""Ways to merge a vector with its position, against each written out."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.positions.base import Heads, Positions
from saccade.positions.sinusoidal import Sinusoidal, waves
from tests.samples import randn


def merged(merge: str, **options: Any) -> Positions:
    built: Positions = Part(Positions, "merged", {"merge": merge, **options}).build(6, Heads(2, 3))
    return built


def test_a_sum_is_what_the_positions_alone_do() -> None:
    x = randn(2, 5, 6)
    assert torch.equal(merged("sum")(x, 3), Sinusoidal(6, None)(x, 3))


def test_an_average_is_half_of_the_sum() -> None:
    x = randn(2, 5, 6)
    assert_close(merged("average")(x), (x + waves(5, 6)) / 2)


def test_a_concatenation_is_mapped_back_to_the_width() -> None:
    x, positions = randn(2, 5, 6), merged("concatenation")
    (W,) = (layer for layer in positions.modules() if isinstance(layer, torch.nn.Linear))
    both = torch.cat([x, waves(5, 6).expand(2, 5, 6)], dim=2)
    assert_close(positions(x), both @ W.weight.T + W.bias)
    identity = torch.cat([torch.eye(6), torch.eye(6)], dim=1)
    with torch.no_grad():
        W.weight.copy_(identity)
        W.bias.zero_()
    assert_close(positions(x), merged("sum")(x))


def test_learned_positions_learn_and_end() -> None:
    positions = merged("average", positions={"kind": "learned", "most": 4})
    assert positions.most == 4
    positions(randn(2, 3, 6)).sum().backward()
    (P,) = positions.parameters()
    assert P.grad is not None
    assert_close(P.grad[:3], torch.full((3, 6), 1.0))
    assert not P.grad[3].any()


@pytest.mark.parametrize("kind", ["relative", "rotary", "merged"])
def test_positions_that_add_no_vector_are_refused(kind: str) -> None:
    told = f"merged.positions: {kind} adds no vector to that of a place.*; expected sinusoidal or"
    with pytest.raises(RecipeError, match=told):
        Part(Positions, "merged", {"positions": kind}).build(6, Heads(1, 6))
