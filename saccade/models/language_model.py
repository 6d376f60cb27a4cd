"""The language model: writes from nothing."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import Batch, Decoded, Memory, Padded, State, Step
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import Embedding
from saccade.models.base import Model, Projection
from saccade.parts import Part, find

_PLAIN = {"attention": Part(Attention, "none"), "wiring": "luong", "input_feeding": False}


class LanguageModel(Model):
    """Predicts every symbol from those before it; there is no source.

        p(y) = prod_t softmax(O f[t])[y[t]],     f[t] = decoder(y[<t])

    Bengio et al. 2003; recurrent: Mikolov et al. 2010. Any decoder serves: it is given a memory of
    width 0, so an RNN starts from a learned state and a Transformer has no layer that reads a
    memory. Weights have the names they have in `encoder_decoder`, whose decoder a language model
    can start: `saccade train RECIPE --from FOLDER`. `tie` makes the output projection the
    embedding (Press & Wolf 2017, arXiv:1608.05859).
    """

    reads: ClassVar[bool] = False

    def __init__(
        self,
        source_size: int,
        target_size: int,
        *,
        decoder: Part[Decoder] = Part(Decoder, "rnn", _PLAIN),
        embedding: int = 256,
        dropout: float = 0.1,
        tie: bool = True,
    ) -> None:
        super().__init__()
        self.target_embedding = Embedding(target_size, embedding)
        self.dropout = Dropout(dropout)
        if not find(Decoder, decoder.kind).alone:
            raise ShapeError(
                f"language_model: decoder {decoder.kind} writes from a memory, but there is no"
                " source to make one of; expected rnn, rnn_past or transformer. Use one of them."
            )
        self.decoder = decoder.build(embedding, 0)
        width = self.decoder.feature_dim
        self.narrow = nn.Linear(width, embedding) if tie and width != embedding else nn.Identity()
        self.output = None if tie else nn.Linear(width, target_size, bias=False)
        self.bias = nn.Parameter(torch.zeros(target_size))

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: there is no source to look at."""
        return ()

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the given prefix."""
        prefix = self.dropout(self.target_embedding(batch.prefix))  # [B, T, D]
        features: Tensor = self.decoder(prefix, self._nothing(batch.source)).features
        n_places = batch.source.mask.shape[1]
        weights = features.new_zeros(*features.shape[:2], 0, n_places) if look else None
        return Decoded(features, weights)

    def log_probs(self, features: Tensor) -> Tensor:
        """Project features `[..., D]` to log-probabilities `[..., V]`."""
        return self.projection(features).log_probs()

    def projection(self, features: Tensor) -> Projection:
        """Return the output map, which may be the target embedding."""
        weight = self.target_embedding.weight if self.output is None else self.output.weight
        return Projection(self.narrow(features), weight, self.bias)

    def start(self, source: Padded) -> State:
        """Return the decoder's first state, the same whatever the source."""
        return self.decoder.start(self._nothing(source))

    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`."""
        features, _, state = self.decoder.step(self.dropout(self.target_embedding(token)), state)
        return Step(self.log_probs(features), state)

    def _nothing(self, source: Padded) -> Memory:
        """Make a memory of vectors without numbers, one for each place of the source."""
        states = self.bias.new_zeros(*source.mask.shape, 0)  # [B, S, 0]
        return Memory(states, source.mask, states.new_zeros(states.shape[0], 0))
