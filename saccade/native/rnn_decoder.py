"""The recurrent decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Self

import torch
from torch import Tensor, nn

from saccade.cells.lstm import LSTM
from saccade.decoders.rnn import RnnDecoder
from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import SOURCE, Memory, Padded, State, nested, tensor
from saccade.inference.groups import GROUP, Groups
from saccade.inference.linear import packed
from saccade.inference.steps import PIECES, SymbolModel
from saccade.kernels import structures
from saccade.kernels.workspace import Workspace
from saccade.models.encoder_decoder import SourceReader
from saccade.native.batch import STEPS, BestSymbols, NativeBatch, NativeModel
from saccade.native.panels import LANES, PanelMaker, kernels_can_read
from saccade.native.rnn_encoder import NativeRnnEncoder
from saccade.native.thread_choice import ThreadChoice

_LINE = "line"  # the entry of a State that says which line of the last step a line goes on from
_KNOWN = 2048  # symbols whose products are kept at least


class NativeRnn(NativeModel):
    """An `EncoderDecoder` whose LSTM decoder in Luong's wiring, embedding and output are in C.

    They compute what `PackedSteps` does with `RnnSteps`.
    """

    pieces = PIECES * 3 // 2  # lines hold no past: more of them fit into the cache

    def __init__(self, whole: SymbolModel, decoder: RnnDecoder, make: PanelMaker) -> None:
        self.kernels, self.threads = make.kernels, ThreadChoice()
        self.memory = _memory_of(whole.model.reading, make)
        self.decoder = packed(decoder, make)  # for its first state
        target, head = whole.target.weight.detach(), whole.head
        self.vectors = target.contiguous()  # [V, X]
        lowest, *others = decoder._stack
        cells = [
            Gates(lowest, target.shape[1], make),
            *(Gates(cell, cell.input_dim, make) for cell in others),
        ]
        said, read = decoder.readout.weight.detach().tensor_split([decoder.feature_dim], dim=1)
        readout = make.panels(said, decoder.readout.bias)
        self.folding = make.exact(read, None)
        output, narrow = head.weight, head.narrow
        scores = make.panels(output, head.bias)
        self.panels = [*(half for cell in cells for half in cell.halves), readout, scores]
        self.structure = structures.RnnDecoderWeights(
            readout=readout.structure,
            scores=scores.structure,
            vectors=self.vectors.data_ptr(),
            n_cells=len(cells),
            width=decoder.feature_dim,
            vector=target.shape[1],
            fed=decoder.feeding,
            factor=decoder.attention.factor,
            scale=sqrt(target.shape[1]),
        )
        self._cells = (structures.CellWeights * len(cells))(*(cell.structure for cell in cells))
        self.structure.cells = ctypes.addressof(self._cells)
        if narrow is not None:
            self.panels.append(make.panels(narrow.weight, narrow.bias))
            self.structure.narrow = self.panels[-1].structure
        self.known = SymbolProducts(len(output), decoder.feature_dim)
        self.n_products, self.n_symbols = sum(one.n_products for one in self.panels), len(output)

    @classmethod
    def of(cls, whole: SymbolModel, make: PanelMaker) -> Self | None:
        """Lay a model out; None if the kernels do not know a part, or how it is laid out."""
        decoder = whole.model.decoder
        if type(decoder) is not RnnDecoder or not decoder.luong or decoder.feed_summary:
            return None
        widths = (decoder.feature_dim, decoder.attention.context_dim)
        known = (
            decoder.attention.factor is not None
            and all(type(cell) is LSTM and len(cell.slices) == 4 for cell in decoder._stack)
            and not any(width % LANES for width in widths)
            and kernels_can_read(whole.model)
        )
        return cls(whole, decoder, make) if known else None

    def read(self, source: Padded) -> "RnnBatch":
        """Read the source."""
        return RnnBatch(self, self.memory(source))


def _memory_of(reading: SourceReader, make: PanelMaker) -> Callable[[Padded], Memory]:
    """Return what reads a source: in C if the kernels know the encoder, each symbol only once."""
    embedder, encoder = reading.embedder, reading.encoder
    native = NativeRnnEncoder.of(encoder, make)
    if native is not None and isinstance(embedder, SymbolEmbedder):
        embed = embedder.embed
        return lambda source: native.of_symbols(source.flat(), embed)
    known = native or packed(encoder, make)
    return lambda source: known.read(embedder(source))


class Gates:
    """The products of an LSTM that reads `[x; y']`: `W x + b`, and `U [y'; h']`."""

    def __init__(self, cell: nn.Module, width: int, make: PanelMaker) -> None:
        assert isinstance(cell, LSTM)
        x, y = cell.W.detach().tensor_split([width], dim=1)  # of x and of what is fed, if any
        past = torch.cat([y, cell.U.detach()], dim=1)
        self.halves = (make.panels(x, cell.b), make.panels(past, None))
        self.structure = structures.CellWeights(*(half.structure for half in self.halves))


class SymbolProducts(threading.local):
    """What the lowest layer makes of the symbols that have been written, each found once.

    Batches that one thread writes share what is known; threads share nothing.
    """

    def __init__(self, n_symbols: int, width: int) -> None:
        self._row_of = torch.full((n_symbols,), -1, dtype=torch.int32)
        self._rows = torch.empty(0, 4 * width)
        self._structure = structures.SymbolCache(row_of=self._row_of.data_ptr())

    def for_lines(self, n: int) -> int:
        """Return its address, with room for what `n` lines may write, and for some steps of them.

        Where the room is too small, all is forgotten: rows that are few are found again soon.
        """
        if 2 * n > self._structure.room:
            self._rows = self._rows.new_empty(max(_KNOWN, 4 * n), self._rows.shape[1])
            self._structure.rows, self._structure.room = self._rows.data_ptr(), len(self._rows)
            self._structure.n = 0
            self._row_of.fill_(-1)
        return ctypes.addressof(self._structure)


class RnnBatch(NativeBatch):
    """The lines of one batch; what those read that leave stays where it is."""

    def __init__(self, model: NativeRnn, memory: Memory) -> None:
        self.model, self.kernels, n = model, model.kernels, len(memory.mask)
        self.groups, self._rows = Groups(n), torch.arange(n)  # [B], what a group reads
        first = model.decoder.start(memory)
        source, cells = nested(first, SOURCE), nested(first, "cells")
        prepared = nested(source, "prepared")
        self.keys, values = (tensor(prepared, x).contiguous() for x in ("keys", "values"))
        self.values = model.folding(values.flatten(0, 1))  # [B S, D], as the readout reads them
        mask = tensor(source, "mask")
        self.seen = None if bool(mask.all()) else mask.contiguous()  # [B, S]
        each = [nested(cells, str(i)) for i in range(model.structure.n_cells)]
        both = [tensor(one, part) for one in each for part in ("h", "c")]
        self._before = torch.cat([*both, torch.zeros_like(both[0])], dim=1)  # [B, (2 L + 1) D]
        self._lines = torch.arange(n)  # [N], where they stand now
        self.start: State = {GROUP: self.groups.start(mask), _LINE: self._lines}
        self._after = [Workspace(self._before, self._before.shape[1]) for _ in range(2)]
        self.n_symbols, self._scores = model.n_symbols, Workspace(self._before, model.n_symbols)
        self._work = Workspace(self._before)
        self._beam_call: structures.RnnDecodeCall | None = None  # of a beam that C runs

    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place, and what is wanted to where it is wanted."""
        rows = self.groups.arrange(tensor(state, GROUP))
        self._rows = self._rows if rows is None else self._rows[rows]
        parents, symbols, model = tensor(state, _LINE), token.contiguous(), self.model
        n, before = len(parents), self._before
        after = self._after[0].first(n)
        call = self._call(
            n,
            groups=self.groups.n_groups,
            lines=self.groups.width,
            held=len(before),
            rows=self._rows.data_ptr(),
            symbols=symbols.data_ptr(),
            parents=parents.data_ptr(),
            before=before.data_ptr(),
            after=after.data_ptr(),
            **wanted,
        )
        model.threads.run(n * model.n_products, partial(self._take, call))
        self._before, self._after = after, self._after[::-1]
        if n != len(self._lines):
            self._lines = torch.arange(n)
        return {GROUP: self.groups.numbers, _LINE: self._lines}

    def _call(self, n: int, **more: int) -> structures.RnnDecodeCall:
        """Tell a step of `n` lines or fewer what they read."""
        return structures.RnnDecodeCall(
            places=self.keys.shape[1],
            keys=self.keys.data_ptr(),
            values=self.values.data_ptr(),
            seen=None if self.seen is None else self.seen.data_ptr(),
            known=self.model.known.for_lines(n),
            **more,
        )

    def _take(self, call: structures.RnnDecodeCall, threads: int) -> None:
        """Take a step with some threads and as much room as they need."""
        call.threads = threads
        self._make_room(call)
        self.kernels.turn(self.model.structure, call)

    def _make_room(self, call: structures.RnnDecodeCall) -> None:
        """Give a step as much room to work in as it needs."""
        size = self.kernels.turn_size(self.model.structure, call)
        call.work = self._work.first(size).data_ptr()

    def _walk(self, beam: structures.BeamState, state: State, banned: Tensor) -> None:
        """Take some steps of a beam from its second on; `state` is the one behind the first."""
        model, call = self.model, self._beam_call or self._set_out(beam, banned)

        def go_on(threads: int) -> int:
            call.threads = threads
            return int(self.kernels.walk_turns(model.structure, call, beam, STEPS))

        model.threads.run(beam.going * beam.width * model.n_products, go_on)

    def _set_out(self, beam: structures.BeamState, banned: Tensor) -> structures.RnnDecodeCall:
        """Make room for all lines that there may be."""
        (n, width), lines = self._before.shape, beam.going * beam.width
        states = [self._before.new_empty(max(n, lines), width) for _ in range(2)]
        states[0][:n] = self._before
        self._best = BestSymbols(lines, beam.n_each, banned)
        self._beam_call = self._call(
            lines,
            groups=beam.going,
            lines=beam.width,
            held=max(n, lines),
            threads=torch.get_num_threads(),
            few=self._best.at,
        )
        self._make_room(self._beam_call)
        self._states, self._beam_call.held = states, n
        self._beam_call.before, self._beam_call.after = (one.data_ptr() for one in states)
        return self._beam_call
