"""The Transformer decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
from functools import partial
from math import sqrt

import torch
from torch import Tensor

from saccade.attention.multihead import MultiHead
from saccade.decoders.transformer import DecoderLayer, TransformerDecoder
from saccade.flow import Memory, Padded, Sources, State, only, tensor
from saccade.inference.base import HELD, Start, layers_of
from saccade.inference.groups import GROUP
from saccade.inference.linear import packed
from saccade.inference.transformer import (
    Folded,
    Held,
    Past,
    Places,
    Reader,
    Source,
    TransformerSteps,
)
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.kernels.workspace import Workspace
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native import panels
from saccade.native.batch import STEPS, BestSymbols, NativeBatch
from saccade.native.panels import Closing, Normed, Panels, side_by_side
from saccade.native.thread_choice import ThreadChoice
from saccade.native.transformer_encoder import NativeTransformerEncoder


class NativeTransformer:
    """An `EncoderDecoder` whose Transformer decoder, embedding and output are the kernels'.

    They compute what `PackedEncoderDecoder` does with `TransformerSteps`; what lines read is found
    and held as there. So does a Transformer encoder; others are packed.
    """

    held = HELD

    def __init__(self, model: EncoderDecoder, kernels: Kernels) -> None:
        decoder, encoder = model.decoder, model.reading.encoder
        assert isinstance(decoder, TransformerDecoder)
        self.kernels, self.threads = kernels, ThreadChoice()
        self.embedder = model.reading.embedder
        native = NativeTransformerEncoder.serves(encoder)
        self.encoder = NativeTransformerEncoder(encoder, kernels) if native else packed(encoder)  # type: ignore[arg-type]
        self.places = Places(decoder.positions)
        embedding, head = layers_of(model)
        target = embedding.weight.detach()
        self.vectors = target.contiguous()  # [V, D]
        self.layers = [NativeLayer(layer, kernels) for layer in decoder._stack]
        output = head.weight
        self.scores = Panels(output, head.bias, kernels)
        self.n_symbols = len(output)
        self.n_products = output.numel() + sum(layer.n_products for layer in self.layers)
        self._structures = (structures.DecoderLayerWeights * len(self.layers))(
            *(layer.structure for layer in self.layers)
        )
        self._closing = Closing(decoder.norm)
        self.structure = structures.DecoderWeights(
            layers=ctypes.addressof(self._structures),
            norm=self._closing.at,
            scores=self.scores.structure,
            vectors=self.vectors.data_ptr(),
            n_layers=len(self.layers),
            width=decoder.input_dim,
            heads=self.layers[0].reading.heads,
            hidden=self.layers[0].structure.U.out,
            scale=sqrt(target.shape[1]),
        )

    @staticmethod
    def serves(model: EncoderDecoder) -> bool:
        """Tell whether the kernels know every part and how its numbers are laid out."""
        decoder = model.decoder
        if type(decoder) is not TransformerDecoder or not TransformerSteps.serves(decoder):
            return False
        heads = {x.reading.heads for x in decoder._stack if isinstance(x.reading, MultiHead)}
        return (
            len(heads) == len({x.feed_forward.U.out_features for x in decoder._stack}) == 1
            and decoder.input_dim % (panels.LANES * heads.pop()) == 0
            and layers_of(model)[1].narrow is None
            and panels.whole_on_processor(model)
        )

    def begin(self, sources: Sources) -> Start:
        """Read the source."""
        vectors: Padded = self.embedder(only(sources))
        held = TransformerBatch(self, self.encoder.read(vectors))
        return Start(held, held.start)


class NativeKeyValueCache(Past):
    """What one layer has written, `[B, room, 2 D]`: the key of a place and its value in one piece.

    A line goes from place to place, and finds there what all heads read.
    """

    of_lines, of_places = 0, 1

    def _nothing(self, like: Tensor, n: int, attention: MultiHead) -> Tensor:
        return like.new_empty(n, 0, 2 * attention.query_dim)


class TransformerBatch(NativeBatch, Held):
    """The step function of the lines of one batch.

    What those read who leave stays where it is.
    """

    past_of = NativeKeyValueCache

    def __init__(self, form: NativeTransformer, memory: Memory) -> None:
        super().__init__(form.layers, memory)
        self.form = form
        self._rows = torch.arange(len(memory.mask))  # [B], where what a group reads is held
        self._reads = (structures.LayerCache * len(form.layers))()
        self._work = Workspace(memory.states)
        self.n_symbols, self._scores = form.n_symbols, Workspace(memory.states, form.n_symbols)
        self._trail: structures.DecodeBuffers | None = None  # of a beam that keeps its own books

    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place behind the others, and what is wanted to where it is wanted."""
        form, t = self.form, self.t
        own, after = self.follow(state)
        n, width = self.groups.n_groups, self.groups.width
        self._point_to_what_is_read(width)
        n_products = n * width * form.n_products
        symbols, place = token.contiguous(), form.places.at(t, form.vectors)
        step = self._what_is_read(
            groups=n,
            lines=width,
            steps=t,
            rows=self._rows.data_ptr(),
            symbols=symbols.data_ptr(),
            place=place.data_ptr(),
            own=None if own is None else own.data_ptr(),
            **wanted,
        )
        form.threads.run(n_products, partial(self._take, step))
        for one in self.pasts:
            one.n_places += width
        return after

    def _what_is_read(self, **more: int | None) -> structures.DecodeCall:
        """Tell a step where it finds its past and the memory."""
        first, past = self.sources[0], self.pasts[0]
        seen = None if isinstance(first, Folded) or first.mask is None else first.mask.contiguous()
        self._seen = seen  # as long as it is pointed to
        return structures.DecodeCall(
            written=past.n_places,
            room=past.room,
            places=first.n_places,
            folded=isinstance(first, Folded),
            seen=None if seen is None else seen.data_ptr(),
            reads=ctypes.addressof(self._reads),
            **more,
        )

    def _take(self, step: structures.DecodeCall, threads: int) -> None:
        """Take a step with some threads and as much room as they need."""
        step.threads = threads
        self._make_room(step)
        self.form.kernels.step(self.form.structure, step)

    def _make_room(self, step: structures.DecodeCall) -> None:
        """Give a step as much room to work in as it needs."""
        size = self.form.kernels.work_size(self.form.structure, step)
        step.work = self._work.first(size).data_ptr()

    def walk(self, books: structures.BeamState, state: State, banned: Tensor) -> None:
        """Take some steps, and keep the books of a beam meanwhile."""
        form, width, past = self.form, books.width, self.pasts[0]
        trail = self._trail or self._set_out(books, state, banned)
        places = form.places.next(self.t, STEPS, form.vectors)  # [steps, D]
        self._point_to_what_is_read(width, len(places))
        trail.rows, trail.places = self._rows.data_ptr(), places.data_ptr()
        step = self._what_is_read(groups=books.going, lines=width, few=self._asked.at)
        n_products, begun = books.going * width * form.n_products, int(books.step)

        def go_on(threads: int) -> int:
            step.threads, step.written = threads, past.room - width  # the most there may be
            self._make_room(step)
            step.written = past.n_places
            form.kernels.walk_steps(form.structure, step, trail, books, len(places))
            return int(books.step) - begun

        form.threads.run(n_products, go_on)
        self.t, self._rows = books.step, self._rows[: books.going]
        for one in self.pasts:
            one.n_places += (books.step - begun) * width

    def _set_out(
        self, books: structures.BeamState, state: State, banned: Tensor
    ) -> structures.DecodeBuffers:
        """Stand where the first step has led, with room for what lines call their own."""
        self._arrange(tensor(state, GROUP))
        n_lines = books.going * books.width
        self._asked = BestSymbols(n_lines, books.n_each, banned)
        self._lists = [torch.zeros(n_lines, books.steps, dtype=torch.int32) for _ in range(2)]
        own, other = (one.data_ptr() for one in self._lists)
        self._trail = structures.DecodeBuffers(own=own, next=other)
        return self._trail

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
            if isinstance(source, Folded):
                reads.keys, reads.values = source.keys.data_ptr(), source.values.data_ptr()
                reads.scores = source.scores.data_ptr()
            else:
                reads.keys, reads.values = (half.data_ptr() for half in source.held)


class NativeLayer(Reader):
    """One layer: what `PackedLayer` packs, in panels."""

    def __init__(self, layer: DecoderLayer, kernels: Kernels) -> None:
        super().__init__(layer)
        own, reading, forward = layer.self_attention, self.reading, layer.feed_forward
        assert isinstance(own, MultiHead)
        assert layer.around_reading is not None
        self.kernels, self._threads = kernels, ThreadChoice()
        each = (own.output, reading.query, reading.output, forward.U, forward.V)
        self.panels = [
            side_by_side([own.query, own.keys_values], kernels),
            *(Panels(one.weight, one.bias, kernels) for one in each),
        ]
        self.n_products = sum(one.n_products for one in self.panels)
        around = (layer.around_self, layer.around_reading, layer.around_feed_forward)
        self.norms = [Normed(residual.norm, pre=residual.pre) for residual in around]
        self.structure = structures.DecoderLayerWeights(
            *(one.structure for one in self.panels),
            *(one.structure for one in self.norms),
        )
        self.keys_values = Panels(reading.keys_values.weight, reading.keys_values.bias, kernels)
        nothing = torch.zeros(reading.query_dim)
        self.by_query = _Heads(self.W_query, nothing, kernels)
        self.by_output = _Heads(self.W_output, self.b_output, kernels)

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

    def fold(self, source: Source) -> Folded:
        """Fold what `source` holds."""
        halves = zip((self.by_query, self.by_output), source.held, strict=True)
        return self.folded(source, *(self._times(by, half) for by, half in halves))

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

    def __init__(self, by_head: Tensor, bias: Tensor, kernels: Kernels) -> None:
        self.layers = [Panels(one.T, bias, kernels, exact=True) for one in by_head]
        self.structures = (structures.LinearWeights * len(self.layers))(
            *(one.structure for one in self.layers)
        )
