"""The Transformer encoder in C: a batch of sentences is one call."""

import ctypes

from torch import nn

from saccade.attention.multihead import MultiHead
from saccade.encoders.base import Encoder
from saccade.encoders.transformer import EncoderLayer, TransformerEncoder
from saccade.flow import Memory, Padded
from saccade.inference.transformer import Places, plain
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.native import panels
from saccade.native.panels import Closing, Normed, Panels, side_by_side
from saccade.native.thread_choice import ThreadChoice


class NativeTransformerEncoder:
    """What a `TransformerEncoder` computes, without dropout."""

    def __init__(self, encoder: TransformerEncoder, kernels: Kernels) -> None:
        self.kernels, self.places, self._threads = (
            kernels,
            Places(encoder.positions),
            ThreadChoice(),
        )
        layers: list[EncoderLayer] = list(encoder.layers)  # type: ignore[arg-type]
        self.layers = [_Layer(layer, kernels) for layer in layers]
        self._structures = (structures.EncoderLayerWeights * len(layers))(
            *(layer.structure for layer in self.layers)
        )
        self._closing = Closing(encoder.norm)
        self.n_products = sum(layer.n_products for layer in self.layers)
        self.structure = structures.EncoderWeights(
            layers=ctypes.addressof(self._structures),
            norm=self._closing.at,
            n_layers=len(layers),
            width=encoder.input_dim,
            heads=self.layers[0].heads,
            hidden=self.layers[0].structure.U.out,
        )

    @staticmethod
    def serves(encoder: Encoder) -> bool:
        """Tell whether the kernels know every part and how its numbers are laid out."""
        if type(encoder) is not TransformerEncoder or encoder.neighbourhood:
            return False
        layers: list[EncoderLayer] = list(encoder.layers)  # type: ignore[arg-type]
        heads = {x.attention.heads for x in layers if isinstance(x.attention, MultiHead)}
        return (
            all(plain(layer.attention) for layer in layers)
            and len(heads) == len({x.feed_forward.U.out_features for x in layers}) == 1
            and encoder.input_dim % (panels.LANES * heads.pop()) == 0
            and panels.whole_on_processor(encoder)
        )

    def read(self, source: Padded) -> Memory:
        """Read vectors, nested sequences end to end."""
        return self(source.flat())

    def __call__(self, source: Padded) -> Memory:
        """Read `source.values [B, S, D]`."""
        n, places, _ = source.values.shape
        x = source.values + self.places.first(places, source.values)  # [B, S, D]
        mask, of = source.mask.contiguous(), self.structure
        size = n * places * (5 * of.width + of.hidden)

        def encode(threads: int) -> None:
            work = x.new_empty(size + threads * places)
            where = (one.data_ptr() for one in (mask, x, work))
            self.kernels.encode(of, structures.EncodeCall(n, places, threads, *where))

        self._threads.run(n * places * self.n_products, encode)
        summary = x.sum(dim=1) / source.lengths.clamp(min=1)[:, None]  # [B, D]
        return Memory(x, source.mask, summary)


class _Layer:
    """One layer in panels."""

    def __init__(self, layer: EncoderLayer, kernels: Kernels) -> None:
        own, forward = layer.attention, layer.feed_forward
        assert isinstance(own, MultiHead)
        self.heads = own.heads
        each: list[nn.Linear] = [own.output, forward.U, forward.V]
        self.panels = [
            side_by_side([own.query, own.keys_values], kernels),
            *(Panels(one.weight, one.bias, kernels) for one in each),
        ]
        self.n_products = sum(one.n_products for one in self.panels)
        around = (layer.around_attention, layer.around_feed_forward)
        self.norms = [Normed(residual.norm, pre=residual.pre) for residual in around]
        self.structure = structures.EncoderLayerWeights(
            *(one.structure for one in self.panels),
            *(one.structure for one in self.norms),
        )
