"""The encoder-decoder: the model of all sequence-to-sequence recipes."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from saccade.decoders.base import Decoder
from saccade.embedders.base import Embedder, PlaceEmbedder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError, ShapeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Memory,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    share_out,
    tensor,
)
from saccade.heads.base import Head, anchored
from saccade.layers.dropout import Dropout
from saccade.models.base import Writer
from saccade.nouns import Side
from saccade.parts import Part, find


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

    several: ClassVar[bool] = True

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
        if self.head.anchors:
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
        anchor = self._anchor(sources) if self.head.anchors else None
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


class SourceReader(nn.Module):
    """Embeds and encodes each source, and lays their memories side by side.

        M = [encoder_1(embedder_1(x_1)); encoder_2(embedder_2(x_2)); ...]

    Attention then looks at the places of all sources. The summary is the mean of theirs.

    Args:
        embedders: the embedder of each source.
        encoders: the encoder of each source.
        dropout: for the vectors.
    """

    def __init__(
        self,
        embedders: Mapping[str, Embedder],
        encoders: Mapping[str, Encoder],
        dropout: nn.Module,
    ) -> None:
        super().__init__()
        self.embedders, self.encoders = nn.ModuleDict(embedders), nn.ModuleDict(encoders)
        self._dropout = [dropout]  # the model's own; a list, so that it is registered once
        widths = {name: encoder.memory_dim for name, encoder in encoders.items()}
        if len(set(widths.values())) > 1:
            found = ", ".join(f"{name} {width}" for name, width in widths.items())
            raise ShapeError(
                f"model.encoders: the memories have different widths: {found}; expected one width."
                " Change hidden or embedding of an encoder."
            )
        self.memory_dim = next(iter(widths.values()))

    def forward(self, sources: Sources) -> Memory:
        """Read all sources."""
        memories = [self._read(name, source) for name, source in sources.items()]
        return memories[0] if len(memories) == 1 else _joined(memories)

    def _read(self, name: str, source: Padded) -> Memory:
        vectors: Padded = self.embedders[name](source)
        dropped = self._dropout[0](vectors.values.flatten(1, -2)).view_as(vectors.values)
        encoder, read = self._encoder(name), Padded(dropped, vectors.mask)
        memory: Memory = encoder(read) if read.mask.dim() == 2 else encoder.read(read)
        return memory

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places that attention weighs."""
        grids = [self._embedder(name).grid(shape) for name, shape in shapes.items()]
        return grids[0] if len(grids) == 1 else (sum(_area(grid) for grid in grids),)

    def n_states(self, shapes: dict[str, tuple[int, ...]]) -> int:
        """Return how many states sources of these shapes become."""
        return sum(
            self._encoder(name).n_states(_area(self._embedder(name).grid(shape)))
            for name, shape in shapes.items()
        )

    @property
    def embedder(self) -> Embedder:
        """The embedder of the only source."""
        (name,) = self.embedders
        return self._embedder(name)

    @property
    def encoder(self) -> Encoder:
        """The encoder of the only source."""
        (name,) = self.encoders
        return self._encoder(name)

    def _embedder(self, name: str) -> Embedder:
        embedder = self.embedders[name]
        assert isinstance(embedder, Embedder)
        return embedder

    def _encoder(self, name: str) -> Encoder:
        encoder = self.encoders[name]
        assert isinstance(encoder, Encoder)
        return encoder


def embedder_of(side: Side, dim: int, part: Part[Embedder] | None = None) -> Embedder:
    """Build the embedder of a source: the one that the recipe names, or the one that suits it."""
    return (part or Part(Embedder, side.embedder)).build(side.size, dim)


def target_embedder(side: Side, dim: int) -> PlaceEmbedder:
    """Build the embedder of what was written before."""
    found = find(Embedder, side.embedder)(side.size, dim)
    if not isinstance(found, PlaceEmbedder):
        raise RecipeError(
            f"data.target: a target embedded by {side.embedder} cannot be written place by place;"
            " expected text or numbers. Change data.target.kind."
        )
    return found


def _joined(memories: list[Memory]) -> Memory:
    """Lay memories side by side, real states first."""
    masks = torch.cat([memory.mask for memory in memories], dim=1)  # [B, M]
    order = (~masks).to(torch.uint8).argsort(dim=1, stable=True)  # [B, M]
    rows = torch.arange(len(masks), device=masks.device)[:, None]
    rank = order.argsort(dim=1)  # [B, M], where each state goes
    numbers = [
        torch.full_like(memory.mask, k, dtype=torch.long) for k, memory in enumerate(memories)
    ]
    belongs = one_hot(torch.cat(numbers, dim=1)[rows, order], len(memories)).bool()  # [B, M, K]
    values = [memory.states if memory.values is None else memory.values for memory in memories]
    separate = any(memory.values is not None for memory in memories)
    return Memory(
        torch.cat([memory.states for memory in memories], dim=1)[rows, order],
        masks[rows, order],
        torch.stack([memory.summary for memory in memories]).mean(dim=0),
        torch.cat(_places(memories, rank), dim=1),
        torch.cat(values, dim=1)[rows, order] if separate else None,
        belongs,
    )


def _places(memories: list[Memory], rank: Tensor) -> list[Tensor]:
    """Say which of the joined states each place of every source went into."""
    found, first = [], 0
    for memory in memories:
        own = rank[:, first : first + memory.mask.shape[1]]  # [B, M_i]
        if memory.places is None:
            found.append(own.masked_fill(~memory.mask, -1))
        else:
            moved = own.gather(1, memory.places.clamp(min=0))
            found.append(moved.masked_fill(memory.places < 0, -1))
        first += memory.mask.shape[1]
    return found


def _area(grid: tuple[int, ...]) -> int:
    area = 1
    for length in grid:
        area *= length
    return area
