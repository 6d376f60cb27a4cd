"""Attention inside the layers of a Transformer, which read all places at once."""

from saccade.attention.base import Attention
from saccade.errors import ShapeError
from saccade.parts import Part


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
