"""The Transformer encoder."""

from collections.abc import Mapping

from torch import Tensor, nn

from saccade.attention._layer import build_attention, heads_of, read_itself
from saccade.attention._near import Near, near
from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded, window
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


class TransformerEncoder(Encoder):
    """Layers in which every place reads every place.

        x = x + attention(x, x);    x = x + feed_forward(x)      (each with norm and dropout)

    Vaswani et al. 2017 (arXiv:1706.03762), section 3.1. The summary is the mean of the states.
    With a `neighbourhood` r > 0, a place reads only those at most r away ("restricted", section 4).
    Of long sources only those are computed, block by block, at a cost of `r n d`.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        layers: int = 3,
        feed_forward: int = 1024,
        norm: Norm = "pre",
        neighbourhood: int = 0,
        dropout: float = 0.1,
        attention: Part[Attention] = Part(Attention, "multihead"),
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(input_dim)
        self.neighbourhood = check_neighbourhood(neighbourhood)
        self.positions = positions.build(input_dim, heads_of(attention, input_dim))
        self.layers = nn.ModuleList(
            EncoderLayer(input_dim, attention, feed_forward, norm, dropout) for _ in range(layers)
        )
        self.norm = closing_norm(input_dim, norm)

    @property
    def memory_dim(self) -> int:
        """The width of the input: it stays the same throughout."""
        return self.input_dim

    @property
    def self_attention(self) -> Mapping[str, Attention]:
        """One a layer."""
        layers: list[EncoderLayer] = list(self.layers)  # type: ignore[arg-type]
        return {f"layer {i + 1}": layer.attention for i, layer in enumerate(layers)}

    def forward(self, source: Padded) -> Memory:
        """Run every layer over the whole sentence."""
        x = self.positions(source.values)  # [B, S, D]
        sight = source.mask[:, None]  # [B, 1, S]
        reach = self.neighbourhood
        blocks = near(source.mask, reach, reach, self.positions, x)
        if reach and not blocks:
            sight = sight & window(x.shape[1], reach, x.device)  # [B, S, S]
        places = None if blocks else self.positions.inside(x.shape[1], 0, x)
        for layer in self.layers:
            x = layer(x, sight, places, blocks)
        x = self.norm(x) * source.mask[:, :, None]  # [B, S, D]
        summary = x.sum(dim=1) / source.lengths.clamp(min=1)[:, None]  # [B, D]
        return Memory(x, source.mask, summary)


class EncoderLayer(Block):
    """Self-attention, then a feed-forward layer."""

    def __init__(
        self, dim: int, attention: Part[Attention], hidden: int, norm: Norm, dropout: float
    ) -> None:
        super().__init__()
        self.attention = build_attention(attention, dim, dim)
        self.feed_forward = FeedForward(dim, hidden)
        self.around_attention = Residual(dim, norm, dropout)
        self.around_feed_forward = Residual(dim, norm, dropout)

    def forward(
        self, x: Tensor, mask: Tensor, places: Places | None = None, blocks: Near | None = None
    ) -> Tensor:
        """Read `x [B, S, D]` at the places `mask`, which broadcasts to `[B, S, S]`, keeps."""
        y = self.around_attention.enter(x)
        read, _ = read_itself(self.attention, y, {}, mask, places, blocks)
        x = self.around_attention.leave(x, read.context)
        y = self.feed_forward(self.around_feed_forward.enter(x))
        return self.around_feed_forward.leave(x, y)
