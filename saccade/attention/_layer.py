"""Attention inside the layers of a Transformer, which read all places at once."""

from typing import NamedTuple

from torch import Tensor

from saccade.attention._near import Near
from saccade.attention.base import Attention
from saccade.attention.multihead import MultiHead
from saccade.errors import ShapeError
from saccade.flow import Attended, Memory, State, append
from saccade.parts import Part, find
from saccade.positions.base import Heads, Places


def build_attention(attention: Part[Attention], dim: int, memory_dim: int) -> Attention:
    """Build the attention of a Transformer layer, or refuse one that such a layer cannot hold."""
    built = attention.build(dim, memory_dim)
    if built.context_dim != dim:
        raise ShapeError(
            f"transformer: the attention reads vectors of width {built.context_dim} but the layer's"
            f" have {dim}; they are added, so they must be equal. Use multihead."
        )
    if built.recurrent:
        raise ShapeError(
            f"transformer: attention {attention.kind} needs what it read one place before, but a"
            " layer reads all places at once. Use multihead."
        )
    if built.hard:
        raise ShapeError(
            f"transformer: attention {attention.kind} chooses places and learns by its choices, but"
            " a layer does not hand out those of its self-attention. Use multihead, or decoder rnn."
        )
    return built


def heads_of(attention: Part[Attention], dim: int) -> Heads | None:
    """Return the heads that a recipe asks for; None if the attention is not `multihead`."""
    if find(Attention, attention.kind) is not MultiHead:
        return None
    options = attention.plain()
    return Heads(options["heads"], options["key_width"] or dim // options["heads"])


class SelfRead(NamedTuple):
    """What places have read of themselves, and what is prepared of all of them."""

    read: Attended
    past: State


def read_itself(
    attention: Attention,
    x: Tensor,
    past: State,
    mask: Tensor,
    places: Places | None,
    blocks: Near | None = None,
) -> SelfRead:
    """Let places `x [B, T, D]` read those in `past`, if any, and themselves.

    Args:
        attention: that of the layer.
        x: the places.
        past: what was prepared of the places before them.
        mask: broadcasts to `[B, T, S]`, True = keep.
        places: what positions do inside; others than `multihead` have none.
        blocks: of a neighbourhood, where those are faster; then there is no past.
    """
    if blocks is not None:
        return SelfRead(*blocks.read(attention, x))
    if places is None:
        new = attention.prepare(x)
        past = append(past, new) if past else new
        return SelfRead(attention(x, past, mask, attention.start(past)), past)
    assert isinstance(attention, MultiHead)  # positions refuse others: see `needed`
    new = attention.prepare(x, places)
    past = append(past, new) if past else new
    return SelfRead(attention(x, past, mask, attention.start(past), places=places), past)


def prepare_memory(attention: Attention, memory: Memory, places: Places | None) -> State:
    """Compute what reading a memory needs of it, once; `places` are those of the memory."""
    if places is None:
        return attention.prepare_memory(memory)
    assert isinstance(attention, MultiHead)  # positions refuse others: see `needed`
    prepared = attention.prepare(memory.states, places)
    if memory.values is None:
        return prepared
    return {**prepared, "values": attention.prepare(memory.values)["values"]}


def read_memory(
    attention: Attention,
    x: Tensor,
    prepared: State,
    mask: Tensor,
    places: Places | None,
    *,
    look: bool,
) -> Attended:
    """Let places `x [B, T, D]` read a prepared memory; `places` are their own."""
    state = attention.start(prepared)
    if places is None:
        return attention(x, prepared, mask, state, look=look)  # type: ignore[no-any-return]
    assert isinstance(attention, MultiHead)
    return attention(x, prepared, mask, state, look=look, places=places)  # type: ignore[no-any-return]
