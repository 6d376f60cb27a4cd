"""The recurrent decoder in C: a step is one call, from the last symbols to scores of the next."""

import ctypes
from functools import partial
from math import sqrt

import torch
from torch import Tensor, nn

from saccade.cells.lstm import LSTM
from saccade.decoders.rnn import RnnDecoder
from saccade.fast import panels
from saccade.fast.begun import Begun
from saccade.fast.crew import Crew
from saccade.fast.groups import GROUP, Groups
from saccade.fast.linear import packed
from saccade.fast.native_scan import NativeRnnEncoder
from saccade.fast.panels import Panels
from saccade.fast.room import Room
from saccade.flow import SOURCE, Memory, Padded, State, Step, nested, tensor
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native import structures
from saccade.native.library import Kernels

_OWN = "own"  # the entry of a State that holds h and c of every layer and y, side by side


class NativeRecurrent:
    """An `EncoderDecoder` whose LSTM decoder in Luong's wiring, embedding and output are in C.

    They compute what `FastEncoderDecoder` does with `FastRnn`.
    """

    def __init__(self, model: EncoderDecoder, kernels: Kernels) -> None:
        decoder = model.decoder
        assert isinstance(decoder, RnnDecoder)
        self.kernels, self.crew = kernels, Crew()
        self.source_vectors, encoder = model.source_embedding, model.encoder
        native = NativeRnnEncoder.serves(encoder)
        self.encoder = NativeRnnEncoder(encoder, kernels) if native else packed(encoder)  # type: ignore[arg-type]
        self.decoder = packed(decoder)  # for its first state
        target = model.target_embedding.weight.detach()
        self.vectors = target * sqrt(target.shape[1])  # [V, X]
        cells = [_gates(cell, kernels) for cell in decoder._stack]
        readout = Panels(decoder.readout.weight, decoder.readout.bias, kernels)
        output = target if model.output is None else model.output.weight
        scores, narrow = Panels(output, model.bias, kernels), model.narrow
        self.panels = [*cells, readout, scores]
        self.structure = structures.Recurrent(
            readout=readout.structure,
            scores=scores.structure,
            vectors=self.vectors.data_ptr(),
            n_cells=len(cells),
            width=decoder.feature_dim,
            read=decoder.attention.context_dim,
            vector=target.shape[1],
            fed=decoder.feeding,
            factor=decoder.attention.factor,
        )
        self._cells = (structures.Linear * len(cells))(*(one.structure for one in cells))
        self.structure.cells = ctypes.addressof(self._cells)
        if isinstance(narrow, nn.Linear):
            self.panels.append(Panels(narrow.weight, narrow.bias, kernels))
            self.structure.narrow = self.panels[-1].structure
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

    def begin(self, source: Padded) -> Begun:
        """Read the source `[B, S]`."""
        vectors = self.source_vectors(source.values)  # [B, S, X]
        turns = Turns(self, self.encoder(Padded(vectors, source.mask, source.ends)))
        return Begun(turns, turns.start)


def _gates(cell: nn.Module, kernels: Kernels) -> Panels:
    """Lay out `[W U] [x; h] + b`."""
    assert isinstance(cell, LSTM)
    return Panels(torch.cat([cell.W, cell.U], dim=1).detach(), cell.b, kernels)


class Turns:
    """The step function of the lines of one batch; it holds what they read."""

    light = True  # what those read who leave stays where it is

    def __init__(self, form: NativeRecurrent, memory: Memory) -> None:
        self.form, n = form, len(memory.mask)
        self.groups, self._rows = Groups(n), torch.arange(n)  # [B], what a group reads
        first = form.decoder.start(memory)
        source, cells = nested(first, SOURCE), nested(first, "cells")
        prepared = nested(source, "prepared")
        self.keys, self.values = (tensor(prepared, x).contiguous() for x in ("keys", "values"))
        mask = tensor(source, "mask")
        self.seen = None if bool(mask.all()) else mask.contiguous()  # [B, S]
        each = [nested(cells, str(i)) for i in range(form.structure.n_cells)]
        both = [tensor(one, part) for one in each for part in ("h", "c")]
        own = torch.cat([*both, torch.zeros_like(both[0])], dim=1)  # [B, (2 L + 1) D]
        self.start: State = {GROUP: self.groups.start(own), _OWN: own}
        self._scores, self._work = Room(own, form.n_symbols), Room(own)

    def __call__(self, token: Tensor, state: State) -> Step:
        """Write one place: `token [N]`. The scores that it gives last until the next step."""
        rows = self.groups.arrange(tensor(state, GROUP))
        self._rows = self._rows if rows is None else self._rows[rows]
        before, symbols, form = tensor(state, _OWN).contiguous(), token.contiguous(), self.form
        after, n = torch.empty_like(before), len(before)
        log_probs = self._scores.first(n)
        turn = structures.Turn(
            groups=self.groups.n_groups,
            lines=self.groups.width,
            places=self.keys.shape[1],
            rows=self._rows.data_ptr(),
            symbols=symbols.data_ptr(),
            keys=self.keys.data_ptr(),
            values=self.values.data_ptr(),
            seen=None if self.seen is None else self.seen.data_ptr(),
            before=before.data_ptr(),
            after=after.data_ptr(),
            log_probs=log_probs.data_ptr(),
        )
        form.crew.run(n * form.n_products, partial(self._take, turn))
        return Step(log_probs, {GROUP: self.groups.numbers, _OWN: after})

    def _take(self, turn: structures.Turn, threads: int) -> None:
        """Take a step with some threads and as much room as they need."""
        form, turn.threads = self.form, threads
        size = form.kernels.turn_size(form.structure, turn)
        turn.work = self._work.first(size).data_ptr()
        form.kernels.turn(form.structure, turn)
