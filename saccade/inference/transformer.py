"""The Transformer decoder, writing one place of many lines at a time."""

from typing import NamedTuple, Self

import torch
from torch import Tensor

from saccade.attention.base import Attention
from saccade.attention.multihead import MultiHead
from saccade.decoders.base import Decoder
from saccade.decoders.transformer import DecoderLayer, TransformerDecoder
from saccade.flow import Memory, State, Stepped
from saccade.inference.cache import (
    DecoderCache,
    MemoryReader,
    PastCache,
    PositionTable,
    SourceCache,
)
from saccade.inference.linear import LayOut, pack
from saccade.inference.steps import batch_places
from saccade.layers.transformer import Residual
from saccade.positions.base import Places


class TransformerSteps:
    """The steps of a `TransformerDecoder` of plain `multihead` attention.

    Query, key and value of a place are one product. The lines of a sentence, K of them, read its
    memory and their past together, as K queries at once. What they have written stays where it was
    written, and each reads of the past of all, `[B, H, t K, d]`, what is its own:

        y[k] = softmax(q[k] . keys / sqrt(d) + own[k]) values
        own[k, s] = 0 if line k goes on from place s, -inf otherwise

    so that only `own` moves when lines change places, and never keys and values.
    """

    def __init__(self, decoder: TransformerDecoder, lay_out: LayOut) -> None:
        self.layers = [PackedLayer(layer, lay_out) for layer in decoder._stack]
        self.norm = decoder.norm
        self.places = PositionTable(decoder.positions)

    @classmethod
    def of(cls, decoder: Decoder, lay_out: LayOut) -> Self | None:
        """Lay a decoder out; None if it is another kind, or has attention of another kind."""
        if type(decoder) is not TransformerDecoder or not is_plain_decoder(decoder):
            return None
        return cls(decoder, lay_out)

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most: their lines hold their past."""
        return batch_places(lines)

    def begin(self, memory: Memory) -> "TransformerLines":
        """Prepare the memory for every layer; no place has been written yet."""
        return TransformerLines(self, memory)


def is_plain_decoder(decoder: TransformerDecoder) -> bool:
    """Tell whether every attention of a decoder is plain, and positions only add to vectors."""
    positions = decoder.positions
    everywhere = not (decoder.neighbourhood or positions.biased or positions.across)
    return (everywhere and positions.adds) and all(
        is_plain(layer.self_attention) and is_plain(layer.reading) for layer in decoder._stack
    )


def is_plain(attention: Attention | None) -> bool:
    """Tell whether an attention is `multihead` with nothing special about it."""
    return type(attention) is MultiHead and not attention.scores and len(set(attention.widths)) == 1


class PackedLayer(MemoryReader):
    """One layer: its products, and its norms. How it reads the memory is the cache's."""

    def __init__(self, layer: DecoderLayer, lay_out: LayOut) -> None:
        super().__init__(layer)
        own, reading = layer.self_attention, self.reading
        assert isinstance(own, MultiHead)
        assert layer.around_reading is not None
        self.query_keys_values = pack(lay_out, own.query, own.keys_values)
        self.own_output = pack(lay_out, own.output)
        self.query, self.output = pack(lay_out, reading.query), pack(lay_out, reading.output)
        forward = layer.feed_forward
        self.U, self.V = pack(lay_out, forward.U), pack(lay_out, forward.V)
        self.norms = (
            ResidualNorm(layer.around_self),
            ResidualNorm(layer.around_reading),
            ResidualNorm(layer.around_feed_forward),
        )

    def write(self, x: Tensor, past: PastCache, source: SourceCache, seen: "PastView") -> Tensor:
        """Write one place of every line, `x [B * K, D]`."""
        to_self, to_source, to_feed_forward = self.norms
        said = past.read(self.query_keys_values(to_self.enter(x)), *seen)  # [B * K, D]
        x = to_self.leave(self.own_output(said, x))
        x = to_source.leave(source.add(to_source.enter(x), x, self))
        hidden = self.U(to_feed_forward.enter(x), relu=True)
        return to_feed_forward.leave(self.V(hidden, x))


class PastView(NamedTuple):
    """What a line sees of the past: what is its own, and what rotates queries and keys."""

    own: Tensor | None
    inside: Places | None


class ResidualNorm:
    """The norm of a `Residual`, before or behind."""

    def __init__(self, residual: Residual) -> None:
        norm, self.pre = residual.norm, residual.pre
        self.shape, self.weight, self.bias = norm.normalized_shape, norm.weight, norm.bias
        self.eps = norm.eps

    def enter(self, x: Tensor) -> Tensor:
        """Return what the layer reads."""
        return self._normed(x) if self.pre else x

    def leave(self, total: Tensor) -> Tensor:
        """Return what goes on, given the sum of the input and what the layer wrote."""
        return total if self.pre else self._normed(total)

    def _normed(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class TransformerLines(DecoderCache):
    """The lines of one batch, written by torch."""

    def __init__(self, steps: TransformerSteps, memory: Memory) -> None:
        super().__init__(steps.layers, memory)
        self.steps = steps

    def step(self, x: Tensor, state: State) -> Stepped:
        """Write one place behind the others: `x [N, D]`."""
        inside = self.steps.places.inside(self.t, x)
        x = x + self.steps.places.at(self.t, x)
        own, after = self.follow(state)
        seen = PastView(own, inside)
        for layer, past, source in zip(self.steps.layers, self.pasts, self.sources, strict=True):
            x = layer.write(x, past, source, seen)
        return Stepped(self.steps.norm(x), None, after)
