import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.attention.valued import ValuedAttention
from saccade.errors import RecipeError
from saccade.flow import Memory, tensor
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 4)[:, None]


@pytest.mark.parametrize("kind", ["additive", "dot", "location_aware", "local"])
def test_it_looks_as_its_attention_does_and_reads_the_projection(kind: str) -> None:
    valued = scramble(ValuedAttention(8, 8, attention=Part(Attention, kind), width=3))
    query, states = randn(2, 3, 8), randn(2, 6, 8, seed=2)
    inner = valued.inner.prepare(states)
    plain = valued.inner(query, inner, MASK, valued.inner.start(inner), look=True)
    prepared = valued.prepare(states)
    read = valued(query, prepared, MASK, valued.start(prepared), look=True)
    assert_close(read.weights, plain.weights)
    assert read.context.shape == (2, 3, valued.context_dim) == (2, 3, 3)
    assert_close(read.context, plain.weights[:, :, 0] @ (states @ valued.V.weight.T))
    assert (valued.recurrent, valued.hard) == (valued.inner.recurrent, valued.inner.hard)


def test_a_projection_that_changes_nothing_leaves_the_attention() -> None:
    valued = scramble(ValuedAttention(8, 8))
    valued.V.weight.data.copy_(torch.eye(8))
    query, states = randn(2, 3, 8), randn(2, 6, 8, seed=2)
    plain = valued.inner(query, valued.inner.prepare(states), MASK, {})
    assert_close(valued(query, valued.prepare(states), MASK, {}).context, plain.context)


def test_values_of_a_memory_are_projected_where_it_has_them() -> None:
    valued, states = scramble(ValuedAttention(8, 8)), randn(2, 6, 8, seed=2)
    values = randn(2, 6, 8, seed=3)
    memory = Memory(states, mask_of(6, 4), states[:, 0], values=values)
    prepared = valued.prepare_memory(memory)
    assert_close(tensor(prepared, "values"), values @ valued.V.weight.T)
    assert_close(tensor(prepared, "keys"), valued.inner.keys(states))


def test_an_attention_with_values_of_its_own_needs_no_others() -> None:
    told = r"valued.attention: multihead does not read the sum of the states under its weights; exp"
    with pytest.raises(RecipeError, match=told):
        ValuedAttention(8, 8, attention=Part(Attention, "multihead"))
