"""The recurrent decoder, writing one place of many lines at a time."""

from typing import Self

import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM
from saccade.decoders.base import Decoder
from saccade.decoders.rnn import RnnDecoder
from saccade.flow import SOURCE, Memory, State, Stepped, nested, reorder, tensor
from saccade.inference.groups import GROUP, Groups
from saccade.inference.linear import LayOut, pack, packed

_PIECES = 9600  # of a batch, times the lines that read each: a step makes a vector of every one


class RnnSteps:
    """The steps of an `RnnDecoder` whose attention remembers nothing of them.

    The lines of a sentence, K of them, read its memory together, as K queries at once. The products
    of an LSTM are one: `[W U] [x; h]`.
    """

    def __init__(self, decoder: RnnDecoder, lay_out: LayOut) -> None:
        self.decoder = packed(decoder, lay_out)  # for its attention
        self.cells = [_cell_step(cell, lay_out) for cell in decoder._stack]
        self.readout = pack(lay_out, decoder.readout)

    @classmethod
    def of(cls, decoder: Decoder, lay_out: LayOut) -> Self | None:
        """Lay a decoder out; None if it is another kind, or asks one query at a time."""
        if type(decoder) is not RnnDecoder or decoder.attention.recurrent or decoder.attention.hard:
            return None
        return cls(decoder, lay_out)

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most.

        Lines hold no past and read a source together. Many of them share what a step costs by
        itself, which is most of it: pictures of 49 places go 64 at a time through a beam of 3.
        """
        return _PIECES // lines

    def begin(self, memory: Memory) -> "RnnLines":
        """Prepare the memory; no place has been written yet."""
        return RnnLines(self, memory)


class CellStep:
    """Any cell, as it is."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    def tick(self, x: list[Tensor], state: State) -> tuple[Tensor, State]:
        """Take one step with inputs that stand side by side; return the output and the state."""
        output, state, _ = self.cell(torch.cat(x, dim=1), state)
        return output, state


class LstmStep(CellStep):
    """An LSTM with all its gates: one product, the three gates of one kind side by side."""

    def __init__(self, cell: LSTM, lay_out: LayOut) -> None:
        super().__init__(cell)
        both = torch.cat([cell.W, cell.U], dim=1).detach()  # [4 D, input_dim + D]
        i, f, g, o = both.chunk(4)
        b_i, b_f, b_g, b_o = cell.b.detach().chunk(4)
        self.gates = lay_out(torch.cat([i, f, o, g]), torch.cat([b_i, b_f, b_o, b_g]))

    def tick(self, x: list[Tensor], state: State) -> tuple[Tensor, State]:
        """Open the gates, update the memory, read from it."""
        width = self.cell.hidden_dim
        sums = self.gates(torch.cat([*x, tensor(state, "h")], dim=1))  # [N, 4 D]
        i, f, o = sums[:, : 3 * width].sigmoid_().chunk(3, dim=1)  # 3 x [N, D]
        g = sums[:, 3 * width :].tanh_()  # [N, D]
        c = torch.addcmul(f * tensor(state, "c"), i, g)  # [N, D]
        h = c.tanh().mul_(o)
        return h, {"h": h, "c": c}


def _cell_step(cell: Cell, lay_out: LayOut) -> CellStep:
    if type(cell) is LSTM and len(cell.slices) == 4:
        return LstmStep(cell, lay_out)
    return CellStep(cell)


class RnnLines:
    """The lines of one batch. It holds what they read, so a state is followed only once."""

    def __init__(self, steps: RnnSteps, memory: Memory) -> None:
        self.steps, self.decoder = steps, steps.decoder
        self.groups = Groups(len(memory.mask))
        first = self.decoder.start(memory)
        self.read: State = {SOURCE: nested(first, SOURCE), "attention": nested(first, "attention")}
        own = {name: entry for name, entry in first.items() if name in ("cells", "feed")}
        self.start: State = {GROUP: self.groups.start(memory.states), **own}

    def step(self, x: Tensor, state: State) -> Stepped:
        """Move and look, in the order of the wiring, then read out: `x [N, D]`."""
        rows = self.groups.arrange(tensor(state, GROUP))
        if rows is not None:
            self.read = reorder(self.read, rows)
        cells = nested(state, "cells")
        if self.decoder.luong:
            beside = [tensor(state, "feed")] if self.decoder.feeding else []
            hidden, cells = self._tick([x, *beside], cells)
            told = [hidden, self._read(hidden)]
        else:
            context = self._read(tensor(nested(cells, str(len(self.steps.cells) - 1)), "h"))
            hidden, cells = self._tick([x, context], cells)
            told = [hidden, context, x]
        features = self.steps.readout(torch.cat(told, dim=1)).tanh_()  # [N, D]
        after: State = {GROUP: self.groups.numbers, "cells": cells}
        if self.decoder.feeding:
            after["feed"] = features
        return Stepped(features, None, after)

    def _tick(self, x: list[Tensor], cells: State) -> tuple[Tensor, State]:
        after: State = {}
        for i, cell in enumerate(self.steps.cells):
            output, after[str(i)] = cell.tick(x, nested(cells, str(i)))
            x = [output]
        return x[0], after

    def _read(self, query: Tensor) -> Tensor:
        """Read with the K queries of every group at once: `[N, D]` to `[N, C]`."""
        queries = query.view(self.groups.n_groups, self.groups.width, -1)  # [B, K, D]
        return self.decoder._attend(queries, self.read, look=False).context.flatten(0, 1)
