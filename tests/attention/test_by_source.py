import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.by_source import BySource
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Attended, Memory
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble

STATES, QUERY = randn(2, 5, 8), randn(2, 3, 8, seed=2)
MASK = mask_of(5, 3)
BELONGS = torch.tensor([[1, 0], [0, 1], [1, 0], [0, 1], [0, 1]]).bool().expand(2, -1, -1)


def read(attention: BySource, belongs: torch.Tensor = BELONGS) -> Attended:
    memory = Memory(STATES, MASK, STATES[:, 0], belongs=belongs)
    prepared = attention.prepare_memory(memory)
    found: Attended = attention(
        QUERY, prepared, MASK[:, None], attention.start(prepared), look=True
    )
    return found


def alone(attention: BySource, k: int) -> Attended:
    """What the attention of a source reads where there is no other."""
    inner, mask = attention._attentions[k], (MASK & BELONGS[..., k])[:, None]
    found: Attended = inner(QUERY, inner.prepare(STATES), mask, {}, look=True)
    return found


def test_side_by_side_is_each_alone() -> None:
    attention = scramble(BySource(8, 8, combine="concatenated"))
    found, parts = read(attention), [alone(attention, k) for k in range(2)]
    assert_close(found.context, torch.cat([part.context for part in parts], dim=2))
    assert found.weights is not None
    for k, part in enumerate(parts):
        assert_close(found.weights[:, :, k], part.weights[:, :, 0])  # type: ignore[index]
        assert (found.weights[:, :, k].masked_select(~BELONGS[:, None, :, k]) == 0).all()
    assert attention.names == ("source 1", "source 2")


def test_sources_are_weighed_against_each_other_by_hand() -> None:
    attention = scramble(BySource(8, 8))
    found, parts = read(attention), [alone(attention, k) for k in range(2)]
    assert found.weights is not None
    for row in range(2):
        for t in range(3):
            c = [part.context[row, t] for part in parts]
            e = [
                attention.v(torch.tanh(attention.W(QUERY[row, t]) + U(one)))
                for U, one in zip(attention.U, c, strict=True)
            ]
            b = torch.cat(e).softmax(dim=0)
            mixed = sum(share * V(one) for share, V, one in zip(b, attention.V, c, strict=True))
            assert_close(found.context[row, t], mixed)
            for k in range(2):
                own = found.weights[row, t, 0, BELONGS[row, :, k]].sum()
                assert_close(own, b[k])
    assert_close(found.weights.sum(dim=3), torch.ones(2, 3, 1))


def test_a_source_without_places_has_no_share() -> None:
    attention = scramble(BySource(8, 8))
    only = torch.tensor([True, False]).expand(2, 5, 2)
    found, inner = read(attention, only), attention._attentions[0]
    plain = inner(QUERY, inner.prepare(STATES), MASK[:, None], {})
    assert_close(found.context, attention.V[0](plain.context))


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"by_source.sources: 1 is not in 2 to 16; expected as"):
        BySource(8, 8, sources=1)
    with pytest.raises(RecipeError, match=r"by_source.attention: hard cannot be put together; ex"):
        BySource(8, 8, attention=Part(Attention, "hard"))
    with pytest.raises(ShapeError, match=r"it reads 3 sources but the data has 2; they must be"):
        read(BySource(8, 8, sources=3))
