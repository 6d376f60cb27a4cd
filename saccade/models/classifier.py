"""The classifier: reads all, then writes one label."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Sources, State, tensor
from saccade.heads.closed import ClosedHead
from saccade.layers.dropout import Dropout
from saccade.models._label import LabelWriter
from saccade.models._pooling import pooled, pooling_attention, source_reader
from saccade.nouns import Side
from saccade.parts import Part


class Classifier(LabelWriter):
    """Reads the source, pools its states by attention and writes one label, then END.

        c = attend(q) over encoder(x)        q is learned: what is worth looking at in any sentence
        f = tanh(W [c; summary])
        p(y | x) = softmax(O f)[y]

    Yang et al. 2016 (N16-1174), section 2.2: the query is their context vector of words. With
    attention `none` the summary alone decides. `word_dropout` leaves out whole words in training.
    """

    several: ClassVar[bool] = True
    head: ClosedHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        attention: Part[Attention] = Part(Attention, "additive"),
        embedding: int = 128,
        hidden: int = 128,
        dropout: float = 0.3,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        dropouts = nn.Sequential(nn.Dropout1d(word_dropout), self.dropout)
        self.reading = source_reader(sources, embedding, embedder, encoder, dropouts)
        width = self.reading.memory_dim
        self.attention = pooling_attention("classifier", attention, width)
        self.query = nn.Parameter(torch.randn(width) / width**0.5)
        self.mix = nn.Linear(self.attention.context_dim + width, hidden)
        self.head = ClosedHead(hidden, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's."""
        return self.attention.names

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the sources."""
        return self.reading.grid(shapes)

    def read(self, sources: Sources, *, look: bool) -> State:
        """Ask one question of the source."""
        memory: Memory = self.reading(sources)
        query = self.query.expand(memory.states.shape[0], -1)  # [B, D]
        both, weights = pooled(self.attention, query, memory, self.dropout, look=look)
        found: State = {"features": self.dropout(torch.tanh(self.mix(both)))}  # [B, D]
        return found if weights is None else {**found, "weights": weights[:, 0]}

    def weights(self, read: State) -> Tensor:
        """Return what the question found where."""
        return tensor(read, "weights")
