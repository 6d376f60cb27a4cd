"""The Transformer encoder in C: a batch of sentences is one call."""

import ctypes
from typing import Self

from torch import nn

from saccade.attention.multihead import MultiHead
from saccade.encoders.base import Encoder
from saccade.encoders.transformer import EncoderLayer, TransformerEncoder
from saccade.flow import Memory, Padded
from saccade.inference.cache import PositionTable
from saccade.inference.transformer import is_plain
from saccade.kernels import structures
from saccade.native.panels import LANES, LastNorm, NormPointers, PanelMaker, kernels_can_read
from saccade.native.thread_choice import ThreadChoice


class NativeTransformerEncoder:
    """What a `TransformerEncoder` computes, without dropout."""

    def __init__(self, encoder: TransformerEncoder, make: PanelMaker) -> None:
        self.kernels, self._threads = make.kernels, ThreadChoice()
        self.places = PositionTable(encoder.positions)
        layers: list[EncoderLayer] = list(encoder.layers)  # type: ignore[arg-type]
        self.layers = [_Layer(layer, make) for layer in layers]
        self._structures = (structures.EncoderLayerWeights * len(layers))(
            *(layer.structure for layer in self.layers)
        )
        self._last_norm = LastNorm(encoder.norm)
        self.n_products = sum(layer.n_products for layer in self.layers)
        self.structure = structures.EncoderWeights(
            layers=ctypes.addressof(self._structures),
            norm=self._last_norm.at,
            n_layers=len(layers),
            width=encoder.input_dim,
            heads=self.layers[0].heads,
            hidden=self.layers[0].structure.U.out,
        )

    @classmethod
    def of(cls, encoder: Encoder, make: PanelMaker) -> Self | None:
        """Lay an encoder out; None if the kernels do not know a part, or how it is laid out."""
        if type(encoder) is not TransformerEncoder or encoder.neighbourhood:
            return None
        if encoder.positions.biased or not encoder.positions.adds:
            return None
        layers: list[EncoderLayer] = list(encoder.layers)  # type: ignore[arg-type]
        heads = {x.attention.heads for x in layers if isinstance(x.attention, MultiHead)}
        known = (
            all(is_plain(layer.attention) for layer in layers)
            and len(heads) == len({x.feed_forward.U.out_features for x in layers}) == 1
            and encoder.input_dim % (LANES * heads.pop()) == 0
            and kernels_can_read(encoder)
        )
        return cls(encoder, make) if known else None

    def read(self, source: Padded) -> Memory:
        """Read vectors, nested sequences end to end."""
        return self(source.flat())

    def __call__(self, source: Padded) -> Memory:
        """Read `source.values [B, S, D]`."""
        n, places, _ = source.values.shape
        x = source.values + self.places.first(places, source.values)  # [B, S, D]
        mask, of = source.mask.contiguous(), self.structure
        turns = self.places.turns(range(places), x)  # [S, d]
        turned_by = None if turns is None else turns.data_ptr()
        size = n * places * (5 * of.width + of.hidden)

        def encode(threads: int) -> None:
            work = x.new_empty(size + threads * places)
            where = (mask.data_ptr(), turned_by, x.data_ptr(), work.data_ptr())
            self.kernels.encode(of, structures.EncodeCall(n, places, threads, *where))

        self._threads.run(n * places * self.n_products, encode)
        summary = x.sum(dim=1) / source.lengths.clamp(min=1)[:, None]  # [B, D]
        return Memory(x, source.mask, summary)


class _Layer:
    """One layer in panels."""

    def __init__(self, layer: EncoderLayer, make: PanelMaker) -> None:
        own, forward = layer.attention, layer.feed_forward
        assert isinstance(own, MultiHead)
        self.heads = own.heads
        each: list[nn.Linear] = [own.output, forward.U, forward.V]
        self.panels = [
            make.side_by_side([own.query, own.keys_values]),
            *(make.panels(one.weight, one.bias) for one in each),
        ]
        self.n_products = sum(one.n_products for one in self.panels)
        around = (layer.around_attention, layer.around_feed_forward)
        self.norms = [NormPointers(residual.norm, pre=residual.pre) for residual in around]
        self.structure = structures.EncoderLayerWeights(
            *(one.structure for one in self.panels),
            *(one.structure for one in self.norms),
        )
