"""The decoder of GNMT: a deep stack that reads what its lowest layer asked for."""

from contextlib import nullcontext

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.decoders.rnn import bridged_cells
from saccade.errors import RecipeError
from saccade.flow import SOURCE, Attended, Decoded, Memory, State, Stepped, nested, tensor
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import bridge
from saccade.parts import Part


class GnmtDecoder(Decoder):
    """A stack whose lowest layer asks, and all of whose layers read the answer.

        c[t] = attend(h_1[t-1])
        y_1[t] = h_1[t] = cell_1([x[t]; c[t]], h_1[t-1])
        h_l[t] = cell_l([y_(l-1)[t]; c[t]], h_l[t-1])              l = 2 .. L
        y_l[t] = h_l[t] + y_(l-1)[t]  if l >= residual_from,  h_l[t]  otherwise
        f[t] = y_L[t]

    Wu et al. 2016 (arXiv:1609.08144), section 3, with equation 4 for the attention and equation 6
    for the residual connections, which start at the third layer. Only the lowest layer waits for
    what it read, so that all above it take a whole prefix at once. That the lowest layer reads the
    context too is not in the paper's text; TensorFlow's implementation of GNMT does it. The states
    start from the summary, as those of decoder `rnn`: `s[0] = tanh(B m)`.
    """

    def __init__(
        self,
        input_dim: int,
        memory_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "lstm"),
        attention: Part[Attention] = Part(Attention, "additive"),
        hidden: int = 256,
        layers: int = 4,
        residual_from: int = 3,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim, memory_dim)
        if residual_from < 2:
            raise RecipeError(
                f"decoder gnmt: residual_from {residual_from} is below 2; the lowest layer reads"
                " words and not a layer. Give the number of the first layer that adds what it"
                " reads, or one above layers for none."
            )
        self.attention = attention.build(hidden, memory_dim)
        self.residual_from = residual_from
        widths = [input_dim] + [hidden] * (layers - 1)
        self.cells = nn.ModuleList(
            cell.build(width + self.attention.context_dim, hidden) for width in widths
        )
        self.hidden = hidden
        self.bridge = bridge(memory_dim, hidden * sum(len(c.parts) for c in self._stack))
        self.dropout = Dropout(dropout)

    @property
    def _stack(self) -> list[Cell]:
        return list(self.cells)  # type: ignore[arg-type]

    @property
    def feature_dim(self) -> int:
        """The width of the cells."""
        return self.hidden

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's own names."""
        return self.attention.names

    def start(self, memory: Memory) -> State:
        """Prepare the memory for reading and bridge its summary to the first states."""
        prepared = self.attention.prepare_memory(memory)
        return {
            SOURCE: {"prepared": prepared, "mask": memory.mask},
            "cells": bridged_cells(self._stack, self.bridge, memory),
            "attention": self.attention.start(prepared),
        }

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Ask, move the lowest layer, and let those above it read both."""
        y, read, state = self._move(x, state, look=look)
        cells, context = dict(nested(state, "cells")), read.context[:, 0]
        for i, cell in enumerate(self._stack[1:], 1):
            given = torch.cat([self.dropout(y), context], dim=1)
            h, cells[str(i)], _ = cell(given, nested(cells, str(i)))
            y = self._added(i, h, y)
        weights = None if read.weights is None else read.weights[:, 0]  # [B, A, S]
        return Stepped(self.dropout(y), weights, {**state, "cells": cells})

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Move the lowest layer step by step, and each layer above it in one sweep."""
        state, lowest, reads = self.start(memory), [], []
        with GatherWeightGradients() if self.training else nullcontext():
            for one in x.unbind(dim=1):
                h, read, state = self._move(one, state, look=look)
                lowest.append(h)
                reads.append(read)
        y = torch.stack(lowest, dim=1)  # [B, T, D]
        context = torch.cat([read.context for read in reads], dim=1)  # [B, T, C]
        for i, cell in enumerate(self._stack[1:], 1):
            given = torch.cat([self.dropout(y), context], dim=2)
            h = cell.sweep(given, nested(nested(state, "cells"), str(i))).outputs  # [B, T, D]
            y = self._added(i, h, y)
        maps = [read.weights for read in reads if read.weights is not None]
        return Decoded(self.dropout(y), torch.cat(maps, dim=1) if maps else None)

    def _move(self, x: Tensor, state: State, *, look: bool) -> tuple[Tensor, Attended, State]:
        """Ask with what the lowest layer wrote last, then move it."""
        source, cells = nested(state, SOURCE), nested(state, "cells")
        before = nested(cells, "0")
        read: Attended = self.attention(
            tensor(before, "h")[:, None],
            nested(source, "prepared"),
            tensor(source, "mask")[:, None],  # [B, 1, S]
            nested(state, "attention"),
            look=look,
        )
        h, after, _ = self._stack[0](torch.cat([x, read.context[:, 0]], dim=1), before)
        return h, read, {**state, "cells": {**cells, "0": after}, "attention": read.state}

    def _added(self, i: int, h: Tensor, y: Tensor) -> Tensor:
        """Add what layer `i`, counted from 0, has read, if it is one of those."""
        return h + y if i + 1 >= self.residual_from else h
