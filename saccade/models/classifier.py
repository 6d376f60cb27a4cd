"""The classifier: reads all, then writes one label."""

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
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
    nested,
    tensor,
)
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import Embedding
from saccade.models._closing import closed, flagged
from saccade.models._pooling import pooled
from saccade.models.base import Model
from saccade.parts import Part


class Classifier(Model):
    """Reads the source, pools its states by attention and writes one label, then END.

        c = attend(q) over encoder(x)        q is learned: what is worth looking at in any sentence
        f = tanh(W [c; summary])
        p(y | x) = softmax(O f)[y]

    Yang et al. 2016 (N16-1174), section 2.2: the query is their context vector of words. A label is
    an output of one symbol, so that search ranks labels and attention maps show which words
    decided. With attention `none` the summary alone decides. `word_dropout` leaves out whole words
    in training.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        *,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        attention: Part[Attention] = Part(Attention, "additive"),
        embedding: int = 128,
        hidden: int = 128,
        dropout: float = 0.3,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.source_embedding = Embedding(source_size, embedding)
        self.word_dropout = nn.Dropout1d(word_dropout)
        self.dropout = Dropout(dropout)
        self.encoder = encoder.build(embedding)
        width = self.encoder.memory_dim
        self.attention = attention.build(width, width)
        if self.attention.hard:
            raise ShapeError(
                f"classifier: attention {attention.kind} chooses places and learns by its choices,"
                " but a classifier does not hand them out. Use additive."
            )
        self.query = nn.Parameter(torch.randn(width) / width**0.5)
        self.mix = nn.Linear(self.attention.context_dim + width, hidden)
        self.output = nn.Linear(hidden, target_size)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's."""
        return self.attention.names

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write features of the label at the first place and of END behind it, `[B, T, D + 1]`."""
        features, weights = self._pool(batch.source, look=look)
        n_places = batch.prefix.shape[1]
        ended = torch.arange(n_places, device=features.device) > 0  # [T]
        every = features[:, None].expand(-1, n_places, -1)  # [B, T, D]
        weights = None if weights is None else weights.expand(-1, n_places, -1, -1)
        return Decoded(flagged(every, ended.expand(every.shape[0], -1)), weights)

    def log_probs(self, features: Tensor) -> Tensor:
        """Project features `[..., D + 1]` to log-probabilities `[..., V]`."""
        return closed(self.output(features[..., :-1]), features[..., -1] > 0)

    def start(self, source: Padded) -> State:
        """Read the source; nothing is written yet."""
        features, _ = self._pool(source, look=False)
        return {SOURCE: {"features": features}, "ended": torch.zeros_like(features[:, 0])}

    def step(self, token: Tensor, state: State) -> Step:
        """Write the label at the first step and END at every other."""
        features, ended = tensor(nested(state, SOURCE), "features"), tensor(state, "ended")
        log_probs = self.log_probs(flagged(features, ended))
        return Step(log_probs, {**state, "ended": torch.ones_like(ended)})

    def _pool(self, source: Padded, *, look: bool) -> tuple[Tensor, Tensor | None]:
        """Return features `[B, D]` and, if asked for, weights `[B, 1, A, S]`."""
        vectors = self.dropout(self.word_dropout(self.source_embedding(source.values)))  # [B, S, D]
        memory: Memory = self.encoder(Padded(vectors, source.mask, source.ends))
        query = self.query.expand(vectors.shape[0], -1)  # [B, D]
        both, weights = pooled(self.attention, query, memory, self.dropout, look=look)
        return self.dropout(torch.tanh(self.mix(both))), weights  # [B, D]
