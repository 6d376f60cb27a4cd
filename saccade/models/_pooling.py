"""A whole sequence in one vector: what one question finds in it, beside its summary."""

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.flow import Attended, Memory


def pooled(
    attention: Attention, query: Tensor, memory: Memory, dropout: nn.Module, *, look: bool
) -> tuple[Tensor, Tensor | None]:
    """Return `[context; summary]`, `[B, C + M]`, and, if asked for, weights `[B, 1, A, S]`.

    Args:
        attention: how to read.
        query: `[B, Q]`, one question a row.
        memory: what the encoder made of the source.
        dropout: for the states and the summary.
        look: whether to return weights.
    """
    prepared = attention.prepare(dropout(memory.states))
    state = attention.start(prepared)
    read: Attended = attention(query[:, None], prepared, memory.mask[:, None], state, look=look)
    weights = None if read.weights is None else memory.over_source(read.weights)
    return torch.cat([read.context[:, 0], dropout(memory.summary)], dim=1), weights
