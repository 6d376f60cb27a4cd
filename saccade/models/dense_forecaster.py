"""The dense forecaster: all steps at once."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.flow import SOURCE, Batch, Decoded, Memory, Sources, State, Stepped, nested, tensor
from saccade.heads.base import anchored
from saccade.heads.path import PathHead
from saccade.layers.dropout import Dropout
from saccade.models._pooling import pooled, pooling_attention, source_reader
from saccade.models.base import Writer
from saccade.nouns import Side
from saccade.parts import Part


class DenseForecaster(Writer):
    """Reads a window of numbers and writes the next `horizon` of them by dense layers.

        c = attend(q) over encoder(D x)              q is learned; nothing with attention `none`
        f = tanh(W [c; m] + a)                       m: the summary, the RNN's last states
        y[1..H] = r x[S] + O f + b                   r = 1 if `relative`, else 0

    The direct multi-step forecast: no step reads the one before, so errors do not add up, and the
    steps do not know of each other. Compare `encoder_decoder`.
    """

    several: ClassVar[bool] = True
    discrete: ClassVar[bool | None] = False
    head: PathHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        attention: Part[Attention] = Part(Attention, "none"),
        embedding: int = 32,
        hidden: int = 64,
        horizon: int = 12,
        dropout: float = 0.0,
        relative: bool = False,
    ) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.reading = source_reader(sources, embedding, embedder, encoder, self.dropout)
        width = self.reading.memory_dim
        self.attention = pooling_attention("dense_forecaster", attention, width)
        drawn = torch.randn(width) / width**0.5
        self.query = nn.Parameter(drawn) if self.attention.context_dim else None
        self.mix = nn.Linear(self.attention.context_dim + width, hidden)
        self.head = PathHead(hidden, target.size, None, horizon=horizon, relative=relative)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's."""
        return self.attention.names

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the sources."""
        return self.reading.grid(shapes)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the first T steps, whatever the prefix is."""
        features, anchor, weights = self._pool(batch.sources, look=look)
        n = batch.prefix.shape[1]
        step = torch.arange(n, device=features.device).expand(len(features), -1)  # [B, T]
        every = self.head.at(features[:, None].expand(-1, n, -1), step)  # [B, T, D + 1]
        weights = None if weights is None else weights.expand(-1, n, -1, -1)
        return Decoded(anchored(every, anchor), weights)

    def start(self, sources: Sources) -> State:
        """Read the window; no step has been handed out yet."""
        features, anchor, weights = self._pool(sources, look=True)
        assert weights is not None
        read: State = {"features": features, "weights": weights[:, 0]}
        if anchor is not None:
            read["anchor"] = anchor
        place = torch.zeros(len(features), dtype=torch.long, device=features.device)
        return {SOURCE: read, "place": place}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Hand out the features of the next step, whatever the value before was."""
        source, place = nested(state, SOURCE), tensor(state, "place")
        anchor = tensor(source, "anchor") if "anchor" in source else None
        features = anchored(self.head.at(tensor(source, "features"), place), anchor)
        weights = tensor(source, "weights") if look else None
        return Stepped(features, weights, {**state, "place": place + 1})

    def _pool(self, sources: Sources, *, look: bool) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Return features `[B, D]`, the head's anchor and, if asked for, weights `[B, 1, A, S]`."""
        memory: Memory = self.reading(sources)
        n = memory.states.shape[0]
        query = memory.summary if self.query is None else self.query.expand(n, -1)
        both, weights = pooled(self.attention, query, memory, self.dropout, look=look)
        features = self.dropout(torch.tanh(self.mix(both)))  # [B, D]
        return features, self.head.anchor(next(iter(sources.values()))), weights
