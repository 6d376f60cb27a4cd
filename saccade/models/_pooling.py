"""A whole sequence in one vector: what one question finds in it, beside its summary."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import Attended, Memory
from saccade.models.encoder_decoder import SourceReader, embedder_of
from saccade.nouns import Side
from saccade.parts import Part


def source_reader(
    sources: Mapping[str, Side],
    embedding: int,
    embedder: Part[Embedder] | None,
    encoder: Part[Encoder],
    dropout: nn.Module,
) -> SourceReader:
    """Build what reads all sources, each with an embedder and an encoder of the same kind."""
    embedders = {name: embedder_of(side, embedding, embedder) for name, side in sources.items()}
    encoders = {name: encoder.build(embedding) for name in sources}
    return SourceReader(embedders, encoders, dropout)


def pooling_attention(owner: str, part: Part[Attention], width: int) -> Attention:
    """Build an attention that asks one question; refuse one that learns by its choices."""
    attention = part.build(width, width)
    if attention.hard:
        raise ShapeError(
            f"{owner}: attention {part.kind} chooses places and learns by its choices, but this"
            " model does not hand them out. Use additive."
        )
    return attention


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
