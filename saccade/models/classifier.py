"""The classifier: reads all, then writes one label."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.flow import SOURCE, Batch, Decoded, Memory, Sources, State, Stepped, nested, tensor
from saccade.heads.closed import ClosedHead, flagged
from saccade.layers.dropout import Dropout
from saccade.models._pooling import pooled, pooling_attention, source_reader
from saccade.models.base import Writer
from saccade.nouns import Side
from saccade.parts import Part


class Classifier(Writer):
    """Reads the source, pools its states by attention and writes one label, then END.

        c = attend(q) over encoder(x)        q is learned: what is worth looking at in any sentence
        f = tanh(W [c; summary])
        p(y | x) = softmax(O f)[y]

    Yang et al. 2016 (N16-1174), section 2.2: the query is their context vector of words. A label is
    an output of one symbol, so that search ranks labels and attention maps show which words
    decided. With attention `none` the summary alone decides. `word_dropout` leaves out whole words
    in training.
    """

    several: ClassVar[bool] = True
    discrete: ClassVar[bool | None] = True
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

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the label at the first place and of END behind it, `[B, T, D + 1]`."""
        features, weights = self._pool(batch.sources, look=look)
        n_places = batch.prefix.shape[1]
        ended = torch.arange(n_places, device=features.device) > 0  # [T]
        every = features[:, None].expand(-1, n_places, -1)  # [B, T, D]
        weights = None if weights is None else weights.expand(-1, n_places, -1, -1)
        return Decoded(flagged(every, ended.expand(every.shape[0], -1)), weights)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        features, weights = self._pool(sources, look=True)
        assert weights is not None
        ended = torch.zeros_like(features[:, 0])
        return {SOURCE: {"features": features, "weights": weights[:, 0]}, "ended": ended}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the label at the first step and END at every other."""
        source, ended = nested(state, SOURCE), tensor(state, "ended")
        features = flagged(tensor(source, "features"), ended)
        weights = tensor(source, "weights") if look else None
        return Stepped(features, weights, {**state, "ended": torch.ones_like(ended)})

    def _pool(self, sources: Sources, *, look: bool) -> tuple[Tensor, Tensor | None]:
        """Return features `[B, D]` and, if asked for, weights `[B, 1, A, S]`."""
        memory: Memory = self.reading(sources)
        query = self.query.expand(memory.states.shape[0], -1)  # [B, D]
        both, weights = pooled(self.attention, query, memory, self.dropout, look=look)
        return self.dropout(torch.tanh(self.mix(both))), weights  # [B, D]
