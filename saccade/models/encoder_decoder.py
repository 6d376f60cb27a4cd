"""The encoder-decoder: the model of all sequence-to-sequence recipes."""

from collections.abc import Mapping
from typing import Literal

from torch import Tensor

from saccade.decoders.base import Decoder
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Memory,
    Sources,
    State,
    Stepped,
    nested,
    share_out,
    tensor,
)
from saccade.heads.base import Head, anchored
from saccade.layers.dropout import Dropout
from saccade.models._reading import SourceReader, embedder_of, target_embedder
from saccade.models.base import Writer
from saccade.nouns import Side
from saccade.parts import Part


class EncoderDecoder(Writer):
    """Reads the sources into a memory and writes the target from it, place by place.

        f[t] = decoder(y[<t], encoder(x))
        p(y | x) = prod_t softmax(O f[t])[y[t]]         what head `symbols` makes of the features
        y[t] = O f[t] + b                               what head `values` makes of them

    Sutskever et al. 2014 (arXiv:1409.3215), Cho et al. 2014 (arXiv:1406.1078). Of numbers it is a
    forecaster: what it wrote is what it reads next (DeepAR, Salinas et al. 2017, arXiv:1704.04110,
    forecasts a distribution where this forecasts its mean).

    `tie` shares matrices of symbols (Press & Wolf 2017, arXiv:1608.05859): `output` makes the
    output projection the target embedding; `all` makes it the source embedding too, which needs
    one joint vocabulary. `embedder` and `head` are those that suit the data unless a recipe names
    others; with several sources, `embedders` and `encoders` name those of single ones.
    """

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        embedders: dict[str, Part[Embedder]] = {},  # noqa: B006 - only read
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        encoders: dict[str, Part[Encoder]] = {},  # noqa: B006 - only read
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        head: Part[Head] | None = None,
        embedding: int = 256,
        dropout: float = 0.1,
        tie: Literal["none", "output", "all"] = "output",
    ) -> None:
        super().__init__()
        _check_tie(tie, sources, target)
        self.one_vocabulary = tie == "all" and target.head == "symbols"
        self.target_embedding = target_embedder(target, embedding)
        read = {
            name: self.target_embedding
            if self.one_vocabulary
            else embedder_of(side, embedding, embedders.get(name, embedder))
            for name, side in sources.items()
        }
        self.dropout = Dropout(dropout)
        built = {name: encoders.get(name, encoder).build(embedding) for name in sources}
        self.reading = SourceReader(read, built, self.dropout)
        self.decoder = decoder.build(embedding, self.reading.memory_dim)
        tied = None if tie == "none" else self.target_embedding.matrix
        width = self.decoder.feature_dim
        self.head = (head or Part(Head, target.head)).build(width, target.size, tied)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's."""
        return self.decoder.attention_names

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the sources."""
        return self.reading.grid(shapes)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the sources and the given prefix."""
        prefix = self.dropout(self.target_embedding.embed(batch.prefix))  # [B, T, D]
        memory: Memory = self.reading(batch.sources)
        features, weights = self.decoder(prefix, memory, look=look)
        features = anchored(features, self._anchor(batch.sources))
        return Decoded(features, None if weights is None else memory.over_source(weights))

    def _anchor(self, sources: Sources) -> Tensor | None:
        return self.head.anchor(next(iter(sources.values())))

    def start(self, sources: Sources) -> State:
        """Read the sources; return the decoder's first state.

        Its SOURCE also holds the memory's places and the head's anchor, where there are any.
        """
        memory: Memory = self.reading(sources)
        state = self.decoder.start(memory)
        more: State = {}
        if memory.places is not None:
            more["places"] = memory.places
        anchor = self._anchor(sources)
        if anchor is not None:
            more["anchor"] = anchor
        return {**state, SOURCE: {**nested(state, SOURCE), **more}} if more else state

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read what was written last; return features, weights and the state after it."""
        vector = self.dropout(self.target_embedding.embed(token))  # [B, D]
        features, weights, after = self.decoder.step(vector, state, look=look)
        source = nested(state, SOURCE)
        anchor = tensor(source, "anchor") if "anchor" in source else None
        if weights is not None and "places" in source:
            weights = share_out(weights[:, None], tensor(source, "places"))[:, 0]  # [B, A, S]
        return Stepped(anchored(features, anchor), weights, after)


def _check_tie(tie: str, sources: Mapping[str, Side], target: Side) -> None:
    odd = [side.size for side in sources.values() if side.size != target.size]
    if tie == "all" and odd:
        raise ShapeError(
            f"model.tie: all needs one vocabulary, but the source has {odd[0]} symbols and"
            f" the target {target.size}. Set data.joint: true, or tie: output."
        )
