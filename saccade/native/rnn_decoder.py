"""The recurrent decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
import threading
from functools import partial
from math import sqrt

import torch
from torch import Tensor, nn

from saccade.cells.lstm import LSTM
from saccade.decoders.rnn import RnnDecoder
from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import SOURCE, Memory, Padded, Sources, State, nested, only, tensor
from saccade.inference.base import HELD, Start, layers_of
from saccade.inference.groups import GROUP, Groups
from saccade.inference.linear import packed
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.kernels.workspace import Workspace
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native import panels
from saccade.native.batch import STEPS, BestSymbols, NativeBatch
from saccade.native.panels import Panels
from saccade.native.rnn_encoder import NativeRnnEncoder
from saccade.native.thread_choice import ThreadChoice

_LINE = "line"  # the entry of a State that says which line of the last step a line goes on from
_KNOWN = 2048  # symbols whose products are kept at least


class NativeRnn:
    """An `EncoderDecoder` whose LSTM decoder in Luong's wiring, embedding and output are in C.

    They compute what `PackedEncoderDecoder` does with `RnnSteps`.
    """

    held = HELD * 3 // 2  # lines hold no past: more of them fit into the cache

    def __init__(self, model: EncoderDecoder, kernels: Kernels) -> None:
        decoder = model.decoder
        assert isinstance(decoder, RnnDecoder)
        self.kernels, self.threads = kernels, ThreadChoice()
        self.embedder, encoder = model.reading.embedder, model.reading.encoder
        native = NativeRnnEncoder.serves(encoder)
        self.encoder = NativeRnnEncoder(encoder, kernels) if native else packed(encoder)  # type: ignore[arg-type]
        self.decoder = packed(decoder)  # for its first state
        embedding, head = layers_of(model)
        target = embedding.weight.detach()
        self.vectors = target.contiguous()  # [V, X]
        lowest, *others = decoder._stack
        cells = [
            Gates(lowest, target.shape[1], kernels),
            *(Gates(cell, cell.input_dim, kernels) for cell in others),
        ]
        said, read = decoder.readout.weight.detach().tensor_split([decoder.feature_dim], dim=1)
        readout = Panels(said, decoder.readout.bias, kernels)
        self.folding = Panels(read, None, kernels, exact=True)
        output, narrow = head.weight, head.narrow
        scores = Panels(output, head.bias, kernels)
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
            self.panels.append(Panels(narrow.weight, narrow.bias, kernels))
            self.structure.narrow = self.panels[-1].structure
        self.known = Known(len(output), decoder.feature_dim)
        self.n_products, self.n_symbols = sum(one.n_products for one in self.panels), len(output)

    @staticmethod
    def serves(model: EncoderDecoder) -> bool:
        """Tell whether the kernels know every part and how its numbers are laid out."""
        decoder = model.decoder
        if type(decoder) is not RnnDecoder or not decoder.luong or decoder.feed_summary:
            return False
        widths = (decoder.feature_dim, decoder.attention.context_dim)
        return (
            decoder.attention.factor is not None
            and all(type(cell) is LSTM and len(cell.gates) == 4 for cell in decoder._stack)
            and not any(width % panels.LANES for width in widths)
            and panels.whole_on_processor(model)
        )

    def begin(self, sources: Sources) -> Start:
        """Read the source."""
        turns = RnnBatch(self, self._read(only(sources)))
        return Start(turns, turns.start)

    def _read(self, source: Padded) -> Memory:
        if isinstance(self.encoder, NativeRnnEncoder) and isinstance(self.embedder, SymbolEmbedder):
            return self.encoder.of_symbols(source.flat(), self.embedder.embed)
        return self.encoder.read(self.embedder(source))


class Gates:
    """The products of an LSTM that reads `[x; y']`: `W x + b`, and `U [y'; h']`."""

    def __init__(self, cell: nn.Module, width: int, kernels: Kernels) -> None:
        assert isinstance(cell, LSTM)
        x, y = cell.W.detach().tensor_split([width], dim=1)  # of x and of what is fed, if any
        past = torch.cat([y, cell.U.detach()], dim=1)
        self.halves = (Panels(x, cell.b, kernels), Panels(past, None, kernels))
        self.structure = structures.CellWeights(*(half.structure for half in self.halves))


class Known(threading.local):
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
    """The step function of the lines of one batch; it holds what they read and what they know.

    What those read who leave stays where it is.
    """

    def __init__(self, form: NativeRnn, memory: Memory) -> None:
        self.form, n = form, len(memory.mask)
        self.groups, self._rows = Groups(n), torch.arange(n)  # [B], what a group reads
        first = form.decoder.start(memory)
        source, cells = nested(first, SOURCE), nested(first, "cells")
        prepared = nested(source, "prepared")
        self.keys, values = (tensor(prepared, x).contiguous() for x in ("keys", "values"))
        self.values = form.folding(values.flatten(0, 1))  # [B S, D], as the readout reads them
        mask = tensor(source, "mask")
        self.seen = None if bool(mask.all()) else mask.contiguous()  # [B, S]
        each = [nested(cells, str(i)) for i in range(form.structure.n_cells)]
        both = [tensor(one, part) for one in each for part in ("h", "c")]
        self._before = torch.cat([*both, torch.zeros_like(both[0])], dim=1)  # [B, (2 L + 1) D]
        self._lines = torch.arange(n)  # [N], where they stand now
        self.start: State = {GROUP: self.groups.start(mask), _LINE: self._lines}
        self._after = [Workspace(self._before, self._before.shape[1]) for _ in range(2)]
        self.n_symbols, self._scores = form.n_symbols, Workspace(self._before, form.n_symbols)
        self._work = Workspace(self._before)
        self._course: structures.RnnDecodeCall | None = (
            None  # where a beam stands that keeps its own books
        )

    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place, and what is wanted to where it is wanted."""
        rows = self.groups.arrange(tensor(state, GROUP))
        self._rows = self._rows if rows is None else self._rows[rows]
        parents, symbols, form = tensor(state, _LINE), token.contiguous(), self.form
        n, before = len(parents), self._before
        after = self._after[0].first(n)
        turn = self._turn(
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
        form.threads.run(n * form.n_products, partial(self._take, turn))
        self._before, self._after = after, self._after[::-1]
        if n != len(self._lines):
            self._lines = torch.arange(n)
        return {GROUP: self.groups.numbers, _LINE: self._lines}

    def _turn(self, n: int, **more: int) -> structures.RnnDecodeCall:
        """Tell a step of `n` lines or fewer what they read."""
        return structures.RnnDecodeCall(
            places=self.keys.shape[1],
            keys=self.keys.data_ptr(),
            values=self.values.data_ptr(),
            seen=None if self.seen is None else self.seen.data_ptr(),
            known=self.form.known.for_lines(n),
            **more,
        )

    def _take(self, turn: structures.RnnDecodeCall, threads: int) -> None:
        """Take a step with some threads and as much room as they need."""
        turn.threads = threads
        self._make_room(turn)
        self.form.kernels.turn(self.form.structure, turn)

    def _make_room(self, turn: structures.RnnDecodeCall) -> None:
        """Give a step as much room to work in as it needs."""
        size = self.form.kernels.turn_size(self.form.structure, turn)
        turn.work = self._work.first(size).data_ptr()

    def walk(self, books: structures.BeamState, state: State, banned: Tensor) -> None:
        """Take some steps, and keep the books of a beam meanwhile."""
        form, turn = self.form, self._course or self._set_out(books, banned)

        def go_on(threads: int) -> int:
            turn.threads = threads
            return int(form.kernels.walk_turns(form.structure, turn, books, STEPS))

        form.threads.run(books.going * books.width * form.n_products, go_on)

    def _set_out(self, books: structures.BeamState, banned: Tensor) -> structures.RnnDecodeCall:
        """Make room for all lines that there may be."""
        (n, width), lines = self._before.shape, books.going * books.width
        states = [self._before.new_empty(max(n, lines), width) for _ in range(2)]
        states[0][:n] = self._before
        self._asked = BestSymbols(lines, books.n_each, banned)
        self._course = self._turn(
            lines,
            groups=books.going,
            lines=books.width,
            held=max(n, lines),
            threads=torch.get_num_threads(),
            few=self._asked.at,
        )
        self._make_room(self._course)
        self._states, self._course.held = states, n
        self._course.before, self._course.after = (one.data_ptr() for one in states)
        return self._course
