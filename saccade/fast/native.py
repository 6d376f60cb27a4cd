"""The Transformer decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
from math import sqrt

import torch
from torch import Tensor, nn

from saccade.attention.multihead import MultiHead
from saccade.decoders.transformer import DecoderLayer, TransformerDecoder
from saccade.fast.begun import Begun
from saccade.fast.linear import packed
from saccade.fast.transformer import FastTransformer, Folded, Held, Places
from saccade.flow import Memory, Padded, State, Step
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native import structures
from saccade.native.library import Kernels

_LANES = 16  # numbers that the kernels take at once
_ALONE = 1 << 20  # products of two numbers below which a step ends before a second thread wakes


class NativeEncoderDecoder:
    """An `EncoderDecoder` of Transformers whose decoder, embedding and output are the kernels'.

    They compute what `FastEncoderDecoder` does with `FastTransformer`; what lines read is found and
    held as there.
    """

    def __init__(self, model: EncoderDecoder, kernels: Kernels) -> None:
        decoder = model.decoder
        assert isinstance(decoder, TransformerDecoder)
        self.kernels, self.source_vectors = kernels, model.source_embedding
        self.encoder, self.places = packed(model.encoder), Places(decoder)
        target = model.target_embedding.weight.detach()
        self.vectors = target * sqrt(target.shape[1])  # [V, D]
        self.layers = [NativeLayer(layer, kernels) for layer in decoder._stack]
        output = target if model.output is None else model.output.weight
        self.scores = Panels(output, model.bias, kernels)
        self.n_symbols = len(output)
        self.n_products = output.numel() + sum(layer.n_products for layer in self.layers)
        self._structures = (structures.Layer * len(self.layers))(*(x.structure for x in self.layers))
        closing = decoder.norm if isinstance(decoder.norm, nn.LayerNorm) else None
        self._closing = None if closing is None else _norm(closing, pre=True)
        self.structure = structures.Model(
            layers=ctypes.addressof(self._structures),
            norm=None if self._closing is None else ctypes.addressof(self._closing),
            scores=self.scores.structure,
            vectors=self.vectors.data_ptr(),
            n_layers=len(self.layers),
            width=decoder.input_dim,
            heads=self.layers[0].reading.heads,
            hidden=self.layers[0].structure.U.out,
        )

    @staticmethod
    def serves(model: EncoderDecoder) -> bool:
        """Tell whether the kernels know every part and how its numbers are laid out."""
        decoder = model.decoder
        if type(decoder) is not TransformerDecoder or not FastTransformer.serves(decoder):
            return False
        readings = [x.reading for x in decoder._stack if isinstance(x.reading, MultiHead)]
        heads, hidden = {x.heads for x in readings}, {_hidden(x) for x in decoder._stack}
        return (
            len(heads) == len(hidden) == 1
            and decoder.input_dim % (_LANES * heads.pop()) == 0
            and not isinstance(model.narrow, nn.Linear)
            and all(p.device.type == "cpu" and p.dtype == torch.float32 for p in model.parameters())
        )

    def begin(self, source: Padded) -> Begun:
        """Read the source `[B, S]`."""
        vectors = self.source_vectors(source.values)  # [B, S, D]
        held = NativeStep(self, self.encoder(Padded(vectors, source.mask, source.ends)))
        return Begun(held, held.start)


class NativeStep(Held):
    """The step function of the lines of one batch."""

    def __init__(self, form: NativeEncoderDecoder, memory: Memory) -> None:
        super().__init__([layer.reading for layer in form.layers], memory)
        self.form = form
        self._reads = (structures.Reads * len(form.layers))()
        self._work = memory.states.new_empty(0)

    def __call__(self, token: Tensor, state: State) -> Step:
        """Write one place behind the others: `token [N]`."""
        form, t = self.form, self.t
        own, after = self.follow(state)
        n, width = self.groups.n_groups, self.groups.width
        self._point_to_what_is_read(width)
        symbols, place = token.contiguous(), form.places.at(t, form.vectors)
        log_probs = form.vectors.new_empty(n * width, form.n_symbols)
        first, past = self.sources[0], self.pasts[0]
        seen = None if isinstance(first, Folded) or first.mask is None else first.mask.contiguous()
        many = n * width * form.n_products >= _ALONE
        step = structures.Step(
            groups=n,
            lines=width,
            written=past.n_places,
            room=past.held.shape[3],
            places=first.n_places,
            steps=t,
            folded=isinstance(first, Folded),
            threads=torch.get_num_threads() if many else 1,
            symbols=symbols.data_ptr(),
            place=place.data_ptr(),
            own=None if own is None else own.data_ptr(),
            seen=None if seen is None else seen.data_ptr(),
            reads=ctypes.addressof(self._reads),
            log_probs=log_probs.data_ptr(),
        )
        size = form.kernels.work_size(form.structure, step)
        if size > len(self._work):
            self._work = form.vectors.new_empty(2 * size)
        step.work = self._work.data_ptr()
        form.kernels.step(form.structure, step)
        for one in self.pasts:
            one.n_places += width
        return Step(log_probs, after)

    def _point_to_what_is_read(self, width: int) -> None:
        for reads, past, source in zip(self._reads, self.pasts, self.sources, strict=True):
            past.make_room(width)
            reads.past = past.held.data_ptr()
            if isinstance(source, Folded):
                reads.keys, reads.values = source.keys.data_ptr(), source.values.data_ptr()
                reads.scores = source.scores.data_ptr()
            else:
                reads.keys, reads.values = (half.data_ptr() for half in source.held)


class NativeLayer:
    """One layer: what `FastLayer` packs, in panels."""

    def __init__(self, layer: DecoderLayer, kernels: Kernels) -> None:
        own, reading, forward = layer.self_attention, layer.reading, layer.feed_forward
        assert isinstance(own, MultiHead)
        assert isinstance(reading, MultiHead)
        assert layer.around_reading is not None
        self.reading = reading
        three = torch.cat([own.query.weight, own.keys_values.weight])
        bias = torch.cat([own.query.bias, own.keys_values.bias])
        each = (own.output, reading.query, reading.output, forward.U, forward.V)
        self.panels = [
            Panels(three, bias, kernels),
            *(Panels(one.weight, one.bias, kernels) for one in each),
        ]
        self.n_products = sum(panels.n_products for panels in self.panels)
        around = (layer.around_self, layer.around_reading, layer.around_feed_forward)
        self.structure = structures.Layer(
            *(panels.structure for panels in self.panels),
            *(_norm(residual.norm, pre=residual.pre) for residual in around),
        )


class Panels:
    """A linear layer as the kernels multiply by it."""

    def __init__(self, weight: Tensor, bias: Tensor, kernels: Kernels) -> None:
        self.weight, self.bias = kernels.pack(weight), bias.detach()
        self.n_products = weight.numel()
        self.structure = structures.Linear(
            self.weight.data_ptr(), self.bias.data_ptr(), weight.shape[1], weight.shape[0]
        )


def _norm(norm: nn.LayerNorm, *, pre: bool) -> structures.Norm:
    return structures.Norm(norm.weight.data_ptr(), norm.bias.data_ptr(), norm.eps, pre)


def _hidden(layer: DecoderLayer) -> int:
    return layer.feed_forward.U.out_features
