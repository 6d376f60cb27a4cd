"""The Transformer decoder."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.attention._layer import (
    build_attention,
    heads_of,
    prepare_memory,
    read_itself,
    read_memory,
)
from saccade.attention._near import Near, near
from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.flow import (
    SOURCE,
    Decoded,
    Memory,
    State,
    Stepped,
    causal,
    nested,
    tensor,
    window,
)
from saccade.layers.block import Block
from saccade.layers.transformer import (
    FeedForward,
    Norm,
    Residual,
    check_neighbourhood,
    closing_norm,
)
from saccade.parts import Part
from saccade.positions.base import Places, Positions


class TransformerDecoder(Decoder):
    """Layers in which every place reads the places before it, then the memory.

        x = x + attention(x, x up to here);  x = x + attention(x, memory);  x = x + feed_forward(x)

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.1. The state of a step is what the layers have
    prepared of the places so far, so that a step costs one place and not a prefix. With a
    `neighbourhood` r > 0, a place reads of the target only itself and the r places before it; the
    memory it reads whole. Where there is no memory, of width 0, the layers only read the past.
    """

    alone: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - seven of them are options
        self,
        input_dim: int,
        memory_dim: int,
        *,
        layers: int = 3,
        feed_forward: int = 1024,
        norm: Norm = "pre",
        neighbourhood: int = 0,
        dropout: float = 0.1,
        attention: Part[Attention] = Part(Attention, "multihead"),
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(input_dim, memory_dim)
        self.neighbourhood = check_neighbourhood(neighbourhood)
        self.positions = positions.build(input_dim, heads_of(attention, input_dim))
        self.layers = nn.ModuleList(
            DecoderLayer(input_dim, memory_dim, attention, feed_forward, norm, dropout)
            for _ in range(layers)
        )
        self.norm = closing_norm(input_dim, norm)

    @property
    def _stack(self) -> "list[DecoderLayer]":
        return list(self.layers)  # type: ignore[arg-type]

    @property
    def feature_dim(self) -> int:
        """The width of the input: it stays the same throughout."""
        return self.input_dim

    @property
    def attention_names(self) -> tuple[str, ...]:
        """Layer by layer, what its attention over the memory calls its maps."""
        return tuple(
            f"layer {i + 1} {name}".strip()
            for i, layer in enumerate(self._stack)
            for name in (layer.reading.names if layer.reading else ())
        )

    @property
    def self_attention(self) -> Mapping[str, Attention]:
        """One a layer."""
        return {f"layer {i + 1}": layer.self_attention for i, layer in enumerate(self._stack)}

    def start(self, memory: Memory) -> State:
        """Prepare the memory for every layer; no place has been written yet."""
        nothing = memory.states.new_zeros(memory.states.shape[0], 0, self.input_dim)  # [B, 0, D]
        across = self._across(memory)
        source: State = {str(i): y.prepare(memory, across) for i, y in enumerate(self._stack)}
        past: State = {str(i): y.self_attention.prepare(nothing) for i, y in enumerate(self._stack)}
        place = memory.mask.new_zeros(memory.mask.shape[0], 0)  # its width is the number of places
        return {SOURCE: {**source, "mask": memory.mask}, "past": past, "place": place}

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write one place behind those in the state."""
        source, past, place = nested(state, SOURCE), nested(state, "past"), tensor(state, "place")
        place = torch.cat([place, place.new_ones(x.shape[0], 1)], dim=1)  # [B, t + 1]
        back = torch.arange(place.shape[1], device=x.device).flip(0)  # [t + 1]
        near = place & (back <= (self.neighbourhood or back.shape[0]))  # [B, t + 1]
        y = self.positions(x[:, None], first=place.shape[1] - 1)  # [B, 1, D]
        places = self.positions.inside(1, place.shape[1] - 1, y)
        across = places if self.positions.across else None
        after: State = {}
        maps = []
        for i, layer in enumerate(self._stack):
            seen = tensor(source, "mask")[:, None]  # [B, 1, S]
            sight = Sight(nested(source, str(i)), seen, near[:, None], places, across)
            y, after[str(i)], read = layer(y, nested(past, str(i)), sight, look=look)
            maps.append(read)
        features = self.norm(y)[:, 0]  # [B, D]
        weights = _join(maps)
        state = {SOURCE: source, "past": after, "place": place}
        return Stepped(features, None if weights is None else weights[:, 0], state)

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Write all places at once; each sees only those before it."""
        y = self.positions(x)  # [B, T, D]
        n, device = x.shape[1], x.device
        whole = torch.ones(y.shape[:2], dtype=torch.bool, device=device)  # [B, T]
        blocks = near(whole, self.neighbourhood, 0, self.positions, y)
        reach = 0 if blocks else self.neighbourhood
        order = (causal(n, device) & window(n, reach, device))[None]  # [1, T, T]
        places = blocks.places if blocks else self.positions.inside(n, 0, y)
        of_memory = self._across(memory)
        across = places if self.positions.across else None
        maps = []
        for layer in self._stack:
            prepared = layer.prepare(memory, of_memory)
            sight = Sight(prepared, memory.mask[:, None], order, places, across, blocks)
            y, _, read = layer(y, {}, sight, look=look)
            maps.append(read)
        return Decoded(self.norm(y), _join(maps))

    def _across(self, memory: Memory) -> Places | None:
        """Return what positions do with the places of the memory; None: nothing."""
        if not self.positions.across:
            return None
        return self.positions.inside(memory.states.shape[1], 0, memory.states)


class Sight(NamedTuple):
    """What a layer may see: the prepared memory, its mask `[B, 1, S]`, the mask of the past.

    places: what positions do inside self-attention.  across: what they do with queries of the
    memory.  blocks: of a neighbourhood, where those are faster than the mask of the past.
    """

    memory: State
    memory_mask: Tensor
    past_mask: Tensor
    places: Places | None = None
    across: Places | None = None
    blocks: Near | None = None


class DecoderLayer(Block):
    """Self-attention over the past, attention over the memory if any, a feed-forward layer."""

    entries: ClassVar[tuple[str, ...]] = ("forward", "prepare")

    def __init__(
        self,
        dim: int,
        memory_dim: int,
        attention: Part[Attention],
        hidden: int,
        norm: Norm,
        dropout: float,
    ) -> None:
        super().__init__()
        self.self_attention = build_attention(attention, dim, dim)
        self.reading = build_attention(attention, dim, memory_dim) if memory_dim else None
        self.feed_forward = FeedForward(dim, hidden)
        self.around_self = Residual(dim, norm, dropout)
        self.around_reading = Residual(dim, norm, dropout) if memory_dim else None
        self.around_feed_forward = Residual(dim, norm, dropout)

    def forward(
        self, x: Tensor, past: State, sight: Sight, *, look: bool
    ) -> tuple[Tensor, State, Tensor | None]:
        """Write `x [B, T, D]` behind `past`; return it, the longer past, and where it looked."""
        y = self.around_self.enter(x)
        said, past = read_itself(
            self.self_attention, y, past, sight.past_mask, sight.places, sight.blocks
        )
        x = self.around_self.leave(x, said.context)
        x, weights = self._read(x, sight, look=look)
        y = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, y), past, weights

    def prepare(self, memory: Memory, across: Places | None = None) -> State:
        """Compute what reading the memory needs of it, once; `across` rotates its keys."""
        return prepare_memory(self.reading, memory, across) if self.reading else {}

    def _read(self, x: Tensor, sight: Sight, *, look: bool) -> tuple[Tensor, Tensor | None]:
        if self.reading is None or self.around_reading is None:
            return x, None
        y = self.around_reading.enter(x)
        read = read_memory(
            self.reading, y, sight.memory, sight.memory_mask, sight.across, look=look
        )
        return self.around_reading.leave(x, read.context), read.weights


def _join(maps: list[Tensor | None]) -> Tensor | None:
    kept = [weights for weights in maps if weights is not None]
    return torch.cat(kept, dim=2) if kept else None  # [B, T, A, S]
