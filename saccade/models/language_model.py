"""The language model: writes from nothing."""

from collections.abc import Mapping
from typing import ClassVar

from torch import Tensor

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import Batch, Decoded, Memory, Padded, Sources, State, Stepped, only
from saccade.heads.base import Head
from saccade.layers.dropout import Dropout
from saccade.models.base import Writer
from saccade.models.encoder_decoder import target_embedder
from saccade.nouns import Side
from saccade.parts import Part, find

_PLAIN = {"attention": Part(Attention, "none"), "wiring": "luong", "input_feeding": False}


class LanguageModel(Writer):
    """Predicts every symbol from those before it; there is no source.

        p(y) = prod_t softmax(O f[t])[y[t]],     f[t] = decoder(y[<t])

    Bengio et al. 2003; recurrent: Mikolov et al. 2010. Any decoder serves: it is given a memory of
    width 0, so an RNN starts from a learned state and a Transformer has no layer that reads a
    memory. Weights have the names they have in `encoder_decoder`, whose decoder a language model
    can start: `saccade train RECIPE --from FOLDER`. `tie` makes the output projection the
    embedding (Press & Wolf 2017, arXiv:1608.05859).
    """

    reads: ClassVar[bool] = False
    discrete: ClassVar[bool | None] = True

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        decoder: Part[Decoder] = Part(Decoder, "rnn", _PLAIN),
        head: Part[Head] | None = None,
        embedding: int = 256,
        dropout: float = 0.1,
        tie: bool = True,
    ) -> None:
        super().__init__()
        self.target_embedding = target_embedder(target, embedding)
        self.dropout = Dropout(dropout)
        if not find(Decoder, decoder.kind).alone:
            raise ShapeError(
                f"language_model: decoder {decoder.kind} writes from a memory, but there is no"
                " source to make one of; expected rnn, rnn_past or transformer. Use one of them."
            )
        self.decoder = decoder.build(embedding, 0)
        tied = self.target_embedding.matrix if tie else None
        chosen = head or Part(Head, target.head)
        self.head = chosen.build(self.decoder.feature_dim, target.size, tied)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: there is no source to look at."""
        return ()

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the given prefix."""
        prefix = self.dropout(self.target_embedding.embed(batch.prefix))  # [B, T, D]
        source = batch.source.flat()
        features: Tensor = self.decoder(prefix, self._nothing(source)).features
        n_places = source.mask.shape[1]
        weights = features.new_zeros(*features.shape[:2], 0, n_places) if look else None
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Return the decoder's first state, the same whatever the source."""
        return self.decoder.start(self._nothing(only(sources).flat()))

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`."""
        vector = self.dropout(self.target_embedding.embed(token))  # [B, D]
        features, _, after = self.decoder.step(vector, state)
        weights = features.new_zeros(len(features), 0, 1) if look else None
        return Stepped(features, weights, after)

    def _nothing(self, source: Padded) -> Memory:
        """Make a memory of vectors without numbers, one for each place of the source."""
        like = next(self.parameters())
        states = like.new_zeros(*source.mask.shape, 0)  # [B, S, 0]
        return Memory(states, source.mask, states.new_zeros(states.shape[0], 0))
