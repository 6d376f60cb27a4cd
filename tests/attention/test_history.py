import pytest
import torch
from torch.testing import assert_close

from saccade.attention.additive import Additive
from saccade.attention.history import HistoryAttention
from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import State, nested, tensor
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble

MASK = mask_of(6, 3)[:, None]


def test_the_first_query_reads_as_additive_does_and_the_next_does_not() -> None:
    attention, additive = scramble(HistoryAttention(8, 6, hidden=7)), Additive(8, 6, hidden=7)
    own = {k: v for k, v in attention.state_dict().items() if k[0] in "WUv"}
    additive.load_state_dict(own)
    query, prepared = randn(2, 2, 8, seed=2), attention.prepare(randn(2, 6, 6))
    one = attention(query, prepared, MASK, attention.start(prepared)).context
    other = additive(query, prepared, MASK, {}).context
    assert_close(one[:, 0], other[:, 0])
    assert not torch.allclose(one[:, 1], other[:, 1])


def test_a_place_is_told_how_it_and_its_neighbours_were_read() -> None:
    """The memory of a place is that of the cell over its window of the weights, alone."""
    attention = scramble(HistoryAttention(8, 8, hidden=8, memory=4, around=1))
    prepared = attention.prepare(randn(2, 6, 8))
    read = attention(randn(2, 3, 8), prepared, MASK, attention.start(prepared), look=True)
    weights = read.weights[0, :, 0]  # [T, S]
    edged = torch.cat([torch.zeros(3, 1), weights, torch.zeros(3, 1)], dim=1)
    state: State = attention.cell.start(weights[:1])
    for t in range(3):
        state = attention.cell(edged[t : t + 1, 2:5], state).state
    memory = tensor(nested(read.state, "memory"), "h")
    assert_close(memory[:1, 2], tensor(state, "h"))


def test_any_cell_serves() -> None:
    attention = HistoryAttention(8, 8, cell=Part(Cell, "lstm"), memory=3)
    prepared = attention.prepare(randn(2, 6, 8))
    assert set(nested(attention.start(prepared), "memory")) == {"h", "c"}


def test_what_it_refuses() -> None:
    with pytest.raises(RecipeError, match=r"history.memory: 0 is below 1; it is the width of a"):
        HistoryAttention(8, 8, memory=0)
    with pytest.raises(RecipeError, match=r"history.around: -1 is below 0; 0 tells a place of"):
        HistoryAttention(8, 8, around=-1)
