"""The Transformer decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
from functools import partial
from math import sqrt
from typing import Self

import torch
from torch import Tensor

from saccade.attention.multihead import MultiHead
from saccade.decoders.transformer import DecoderLayer, TransformerDecoder
from saccade.flow import Memory, Padded, State, tensor
from saccade.inference.cache import (
    DecoderCache,
    FoldedSource,
    MemoryReader,
    PastCache,
    PlainSource,
    PositionTable,
)
from saccade.inference.groups import GROUP
from saccade.inference.linear import packed
from saccade.inference.steps import SymbolModel
from saccade.inference.transformer import is_plain_decoder
from saccade.kernels import structures
from saccade.kernels.workspace import Workspace
from saccade.native.batch import STEPS, BestSymbols, NativeBatch, NativeModel
from saccade.native.panels import (
    LANES,
    LastNorm,
    NormPointers,
    PanelMaker,
    kernels_can_read,
)
from saccade.native.thread_choice import ThreadChoice
from saccade.native.transformer_encoder import NativeTransformerEncoder


class NativeTransformer(NativeModel):
    """An `EncoderDecoder` whose Transformer decoder, embedding and output are the kernels'.

    They compute what `PackedSteps` does with `TransformerSteps`; what lines read is found and held
    as there. So does a Transformer encoder; others are packed.
    """

    def __init__(self, whole: SymbolModel, decoder: TransformerDecoder, make: PanelMaker) -> None:
        self.kernels, self.threads = make.kernels, ThreadChoice()
        reading, head = whole.model.reading, whole.head
        native = NativeTransformerEncoder.of(reading.encoder, make)
        self.embedder, self.encoder = reading.embedder, native or packed(reading.encoder, make)
        self.places = PositionTable(decoder.positions)
        target = whole.target.weight.detach()
        self.vectors = target.contiguous()  # [V, D]
        self.layers = [NativeLayer(layer, make) for layer in decoder._stack]
        output = head.weight
        self.scores = make.panels(output, head.bias)
        self.n_symbols = len(output)
        self.n_products = output.numel() + sum(layer.n_products for layer in self.layers)
        self._structures = (structures.DecoderLayerWeights * len(self.layers))(
            *(layer.structure for layer in self.layers)
        )
        self._last_norm = LastNorm(decoder.norm)
        self.structure = structures.DecoderWeights(
            layers=ctypes.addressof(self._structures),
            norm=self._last_norm.at,
            scores=self.scores.structure,
            vectors=self.vectors.data_ptr(),
            n_layers=len(self.layers),
            width=decoder.input_dim,
            heads=self.layers[0].reading.heads,
            hidden=self.layers[0].structure.U.out,
            scale=sqrt(target.shape[1]),
        )

    @classmethod
    def of(cls, whole: SymbolModel, make: PanelMaker) -> Self | None:
        """Lay a model out; None if the kernels do not know a part, or how it is laid out."""
        decoder = whole.model.decoder
        if type(decoder) is not TransformerDecoder or not is_plain_decoder(decoder):
            return None
        heads = {x.reading.heads for x in decoder._stack if isinstance(x.reading, MultiHead)}
        known = (
            len(heads) == len({x.feed_forward.U.out_features for x in decoder._stack}) == 1
            and decoder.input_dim % (LANES * heads.pop()) == 0
            and whole.head.narrow is None
            and kernels_can_read(whole.model)
        )
        return cls(whole, decoder, make) if known else None

    def read(self, source: Padded) -> "TransformerBatch":
        """Read the source."""
        vectors: Padded = self.embedder(source)
        return TransformerBatch(self, self.encoder.read(vectors))


class NativePastCache(PastCache):
    """What one layer has written, `[B, room, 2 D]`: the key of a place and its value in one piece.

    A line goes from place to place, and finds there what all heads read.
    """

    of_lines, of_places = 0, 1

    def _nothing(self, like: Tensor, n: int, attention: MultiHead) -> Tensor:
        return like.new_empty(n, 0, 2 * attention.query_dim)


class TransformerBatch(NativeBatch, DecoderCache):
    """The lines of one batch. What those read that leave stays where it is."""

    past_of = NativePastCache

    def __init__(self, model: NativeTransformer, memory: Memory) -> None:
        super().__init__(model.layers, memory)
        self.model, self.kernels = model, model.kernels
        self._rows = torch.arange(len(memory.mask))  # [B], where what a group reads is held
        self._reads = (structures.LayerCache * len(model.layers))()
        self._work = Workspace(memory.states)
        self.n_symbols, self._scores = model.n_symbols, Workspace(memory.states, model.n_symbols)
        self._buffers: structures.DecodeBuffers | None = None  # of a beam that C runs

    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place behind the others, and what is wanted to where it is wanted."""
        model, t = self.model, self.t
        own, after = self.follow(state)
        n, width = self.groups.n_groups, self.groups.width
        self._point_to_what_is_read(width)
        n_products = n * width * model.n_products
        symbols, place = token.contiguous(), model.places.at(t, model.vectors)
        turn = model.places.turns(range(t, t + 1), model.vectors)
        step = self._what_is_read(
            groups=n,
            lines=width,
            steps=t,
            rows=self._rows.data_ptr(),
            symbols=symbols.data_ptr(),
            place=place.data_ptr(),
            turn=None if turn is None else turn.data_ptr(),
            own=None if own is None else own.data_ptr(),
            **wanted,
        )
        model.threads.run(n_products, partial(self._take, step))
        for one in self.pasts:
            one.n_places += width
        return after

    def _what_is_read(self, **more: int | None) -> structures.DecodeCall:
        """Tell a step where it finds its past and the memory."""
        first, past = self.sources[0], self.pasts[0]
        seen = None if first.mask is None else first.mask.contiguous()
        self._seen = seen  # as long as it is pointed to
        return structures.DecodeCall(
            written=past.n_places,
            room=past.room,
            places=first.n_places,
            folded=first.folded,
            seen=None if seen is None else seen.data_ptr(),
            reads=ctypes.addressof(self._reads),
            **more,
        )

    def _take(self, step: structures.DecodeCall, threads: int) -> None:
        """Take a step with some threads and as much room as they need."""
        step.threads = threads
        self._make_room(step)
        self.kernels.step(self.model.structure, step)

    def _make_room(self, step: structures.DecodeCall) -> None:
        """Give a step as much room to work in as it needs."""
        size = self.kernels.work_size(self.model.structure, step)
        step.work = self._work.first(size).data_ptr()

    def _walk(self, beam: structures.BeamState, state: State, banned: Tensor) -> None:
        """Take some steps of a beam from its second on; `state` is the one behind the first."""
        model, width, past = self.model, beam.width, self.pasts[0]
        buffers = self._buffers or self._set_out(beam, state, banned)
        places = model.places.next(self.t, STEPS, model.vectors)  # [steps, D]
        self._point_to_what_is_read(width, len(places))
        turns = model.places.turns(range(self.t, self.t + len(places)), model.vectors)  # [steps, d]
        buffers.rows, buffers.places = self._rows.data_ptr(), places.data_ptr()
        buffers.turns = None if turns is None else turns.data_ptr()
        step = self._what_is_read(groups=beam.going, lines=width, few=self._best.at)
        n_products, begun = beam.going * width * model.n_products, int(beam.step)

        def go_on(threads: int) -> int:
            step.threads, step.written = threads, past.room - width  # the most there may be
            self._make_room(step)
            step.written = past.n_places
            self.kernels.walk_steps(model.structure, step, buffers, beam, len(places))
            return int(beam.step) - begun

        model.threads.run(n_products, go_on)
        self.t, self._rows = beam.step, self._rows[: beam.going]
        for one in self.pasts:
            one.n_places += (beam.step - begun) * width

    def _set_out(
        self, beam: structures.BeamState, state: State, banned: Tensor
    ) -> structures.DecodeBuffers:
        """Stand where the first step has led, with room for what lines call their own."""
        self._arrange(tensor(state, GROUP))
        n_lines = beam.going * beam.width
        self._best = BestSymbols(n_lines, beam.n_each, banned)
        self._lists = [torch.zeros(n_lines, beam.steps, dtype=torch.int32) for _ in range(2)]
        own, other = (one.data_ptr() for one in self._lists)
        self._buffers = structures.DecodeBuffers(own=own, next=other)
        return self._buffers

    def _own(self, own: Tensor) -> tuple[Tensor, Tensor | None]:
        """List the places that are each line's own, `[N, t + 1]`, the one of this step last."""
        (n, width), written = (self.groups.n_groups, self.groups.width), self.pasts[0].n_places
        if width == 1 and not own.shape[1]:
            return own, None
        if not own.shape[1]:  # up to now there was one line a row, and all was its own
            own = torch.arange(written, dtype=torch.int32).expand(n * width, -1)
        newest = torch.arange(written, written + width, dtype=torch.int32).repeat(n)
        own = torch.cat([own, newest[:, None]], dim=1)
        return own, own

    def keep(self, rows: Tensor) -> None:
        """Note which rows are read from now on; they are copied only if some serve two groups."""
        self._rows = self._rows[rows]
        if len(set(self._rows.tolist())) < len(self._rows):  # two would write to the same places
            self._let_go()

    def _let_go(self) -> None:
        """Hold what is read, and nothing else."""
        super().keep(self._rows)
        self._rows = torch.arange(len(self._rows))

    def _point_to_what_is_read(self, width: int, steps: int = 0) -> None:
        full = self.pasts[0].n_places + max(steps, 1) * width > self.pasts[0].room
        if full and len(self._rows) < self.pasts[0].n_held:
            self._let_go()  # before all that is held moves to a larger room
        for reads, past, source in zip(self._reads, self.pasts, self.sources, strict=True):
            past.make_room(width, steps)
            reads.past = past.held.data_ptr()
            reads.keys, reads.values = source.keys.data_ptr(), source.values.data_ptr()
            reads.scores = None if source.scores is None else source.scores.data_ptr()


class NativeLayer(MemoryReader):
    """One layer: what `PackedLayer` holds, in panels."""

    def __init__(self, layer: DecoderLayer, make: PanelMaker) -> None:
        super().__init__(layer)
        own, reading, forward = layer.self_attention, self.reading, layer.feed_forward
        assert isinstance(own, MultiHead)
        assert layer.around_reading is not None
        self.kernels, self._threads = make.kernels, ThreadChoice()
        each = (own.output, reading.query, reading.output, forward.U, forward.V)
        self.panels = [
            make.side_by_side([own.query, own.keys_values]),
            *(make.panels(one.weight, one.bias) for one in each),
        ]
        self.n_products = sum(one.n_products for one in self.panels)
        around = (layer.around_self, layer.around_reading, layer.around_feed_forward)
        self.norms = [NormPointers(residual.norm, pre=residual.pre) for residual in around]
        self.structure = structures.DecoderLayerWeights(
            *(one.structure for one in self.panels),
            *(one.structure for one in self.norms),
        )
        self.keys_values = make.panels(reading.keys_values.weight, reading.keys_values.bias)
        nothing = torch.zeros(reading.query_dim)
        self.by_query = _Heads(self.W_query, nothing, make)
        self.by_output = _Heads(self.W_output, self.b_output, make)

    def hold(self, memory: Memory) -> Tensor:
        """Compute keys and values of the memory, `[2, B, H, S, d]`."""
        states = memory.states.contiguous()  # [B, S, M]
        (n, places, _), heads, linear = states.shape, self.reading.heads, self.keys_values.structure
        products = states.new_empty(n * places, linear.out)
        held = states.new_empty(2, n, heads, places, linear.out // (2 * heads))
        where = (one.data_ptr() for one in (states, products, held))
        hold = partial(self.kernels.hold, linear, n, heads, places, *where)
        self._threads.run(n * places * self.keys_values.n_products, hold)
        return held

    def fold(self, source: PlainSource) -> FoldedSource:
        """Fold what `source` holds."""
        keys, values = source.keys, source.values
        return self.folded(
            source, self._times(self.by_query, keys), self._times(self.by_output, values)
        )

    def _times(self, by: "_Heads", held: Tensor) -> Tensor:
        """Multiply `[B, H, S, d]` by a matrix a head: `[B, H, S, D]`."""
        n, heads, places, d = held.shape
        D = self.reading.query_dim
        folded = held.new_empty(n, heads, places, D)
        where = (held.data_ptr(), folded.data_ptr())
        fold = partial(self.kernels.fold, by.structures, n, heads, places, *where)
        self._threads.run(n * heads * places * d * D, fold)
        return folded


class _Heads:
    """A matrix for each head, `[H, d, D]`, by which what it holds is folded; never in bytes."""

    def __init__(self, by_head: Tensor, bias: Tensor, make: PanelMaker) -> None:
        self.layers = [make.exact(one.T, bias) for one in by_head]
        self.structures = (structures.LinearWeights * len(self.layers))(
            *(one.structure for one in self.layers)
        )
