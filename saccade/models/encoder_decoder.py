"""The encoder-decoder: the model of all sequence-to-sequence recipes."""

from typing import Literal

import torch
from torch import Tensor, nn

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Memory,
    Padded,
    State,
    Step,
    Stepped,
    nested,
    share_out,
    tensor,
)
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import Embedding
from saccade.models.base import Model, Projection
from saccade.parts import Part


class EncoderDecoder(Model):
    """Reads the source into a memory and writes the target from it, symbol by symbol.

        p(y | x) = prod_t softmax(O f[t])[y[t]],     f[t] = decoder(y[<t], encoder(x))

    `tie` shares matrices (Press & Wolf 2017, arXiv:1608.05859): `output` makes the output
    projection the target embedding; `all` makes it the source embedding too, which needs one
    joint vocabulary.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        embedding: int = 256,
        dropout: float = 0.1,
        tie: Literal["none", "output", "all"] = "output",
    ) -> None:
        super().__init__()
        if tie == "all" and source_size != target_size:
            raise ShapeError(
                f"model.tie: all needs one vocabulary, but the source has {source_size} symbols and"
                f" the target {target_size}. Set data.joint: true, or tie: output."
            )
        self.one_vocabulary = tie == "all"
        self.tied = tie != "none"
        self.target_embedding = Embedding(target_size, embedding)
        self.source_embedding = (
            self.target_embedding if tie == "all" else Embedding(source_size, embedding)
        )
        self.dropout = Dropout(dropout)
        self.encoder = encoder.build(embedding)
        self.decoder = decoder.build(embedding, self.encoder.memory_dim)
        width = self.decoder.feature_dim
        self.narrow = (
            nn.Linear(width, embedding) if self.tied and width != embedding else nn.Identity()
        )
        self.output = None if self.tied else nn.Linear(width, target_size, bias=False)
        self.bias = nn.Parameter(torch.zeros(target_size))

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's."""
        return self.decoder.attention_names

    def encode(self, source: Padded) -> Memory:
        """Read the source `[B, S]`."""
        vectors = self.dropout(self.source_embedding(source.values))  # [B, S, D]
        memory: Memory = self.encoder(Padded(vectors, source.mask, source.ends))
        return memory

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix."""
        prefix = self.dropout(self.target_embedding(batch.prefix))  # [B, T, D]
        memory = self.encode(batch.source)
        features, weights = self.decoder(prefix, memory, look=look)
        return Decoded(features, None if weights is None else memory.over_source(weights))

    def log_probs(self, features: Tensor) -> Tensor:
        """Project features `[..., D]` to log-probabilities `[..., V]`."""
        return self.projection(features).log_probs()

    def projection(self, features: Tensor) -> Projection:
        """Return the output map, which may be the target embedding."""
        weight = self.target_embedding.weight if self.output is None else self.output.weight
        return Projection(self.narrow(features), weight, self.bias)

    def start(self, source: Padded) -> State:
        """Read the source; return the decoder's first state, with the memory's places."""
        memory = self.encode(source)
        state = self.decoder.start(memory)
        if memory.places is None:
            return state
        return {**state, SOURCE: {**nested(state, SOURCE), "places": memory.places}}

    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`."""
        features, _, state = self.look_step(token, state, look=False)
        return Step(self.log_probs(features), state)

    def look_step(self, token: Tensor, state: State, *, look: bool = True) -> Stepped:
        """Read one symbol `[B]`; return the decoder's features, weights and state."""
        stepped = self.decoder.step(self.dropout(self.target_embedding(token)), state, look=look)
        source = nested(state, SOURCE)
        if stepped.weights is None or "places" not in source:
            return stepped
        shared = share_out(stepped.weights[:, None], tensor(source, "places"))[:, 0]  # [B, A, S]
        return stepped._replace(weights=shared)
