"""The forecaster: an encoder-decoder of numbers."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import SOURCE, Batch, Decoded, Memory, Padded, State, Step, nested, tensor
from saccade.layers.dropout import Dropout
from saccade.masks import last
from saccade.models.base import Model
from saccade.parts import Part


class Forecaster(Model):
    """Reads a window of numbers and writes the next ones, each after the one before it.

        f[t] = decoder(E y[<t], encoder(D x))            y[0] is the last place of the window
        y[t] = r x[S] + O f[t] + b                       r = 1 if `relative`, else 0

    The encoder-decoder of Cho et al. 2014 (arXiv:1406.1078) with linear maps in the place of
    embeddings and of the softmax, as DeepAR has it (Salinas et al. 2017, arXiv:1704.04110), which
    forecasts a distribution where this forecasts its mean. What it wrote is what it reads next;
    training decides whether it reads the truth instead (`squared_error.free_running`). With
    `relative` it learns how far values move from the last one known, which is right for series
    that wander. Any encoder, decoder and attention serves, and any number of steps can be asked
    for.
    """

    numeric: ClassVar[bool] = True

    def __init__(
        self,
        source_size: int,
        target_size: int,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        embedding: int = 32,
        dropout: float = 0.0,
        relative: bool = False,
    ) -> None:
        super().__init__()
        self.relative = relative
        self.source_map = nn.Linear(source_size, embedding)
        self.target_map = nn.Linear(target_size, embedding)
        self.dropout = Dropout(dropout)
        self.encoder = encoder.build(embedding)
        self.decoder = decoder.build(embedding, self.encoder.memory_dim)
        self.output = nn.Linear(self.decoder.feature_dim, target_size)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's."""
        return self.decoder.attention_names

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the window and the given prefix `[B, T, C]`: features `[B, T, D + C]`."""
        memory = self._encode(batch.source)
        prefix = self.dropout(self.target_map(batch.prefix))  # [B, T, D]
        features, weights = self.decoder(prefix, memory, look=look)
        known = self._known(batch.source)[:, None].expand(-1, features.shape[1], -1)
        weights = None if weights is None else memory.over_source(weights)
        return Decoded(torch.cat([features, known], dim=2), weights)

    def log_probs(self, features: Tensor) -> Tensor:
        """Turn features `[..., D + C]` into the next values `[..., C]`."""
        width = self.output.in_features
        moved: Tensor = self.output(features[..., :width])
        return moved + features[..., width:] if self.relative else moved

    def start(self, source: Padded) -> State:
        """Read the window; return the decoder's first state, with the last place of the window."""
        state = self.decoder.start(self._encode(source))
        return {**state, SOURCE: {**nested(state, SOURCE), "known": self._known(source)}}

    def step(self, token: Tensor, state: State) -> Step:
        """Read one value `[B, C]`; return the next, `[B, C]`."""
        known = tensor(nested(state, SOURCE), "known")
        features, _, state = self.decoder.step(self.dropout(self.target_map(token)), state)
        return Step(self.log_probs(torch.cat([features, known], dim=1)), state)

    def _encode(self, source: Padded) -> Memory:
        vectors = self.dropout(self.source_map(source.values))  # [B, S, D]
        memory: Memory = self.encoder(Padded(vectors, source.mask))
        return memory

    def _known(self, source: Padded) -> Tensor:
        """Return the last place of each window, `[B, C]`."""
        return last(source.values, source.mask)[:, : self.output.out_features]
