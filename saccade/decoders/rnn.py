"""The recurrent decoder, in Bahdanau's and in Luong's wiring."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import SOURCE, Attended, Decoded, Memory, State, Stepped, nested, tensor
from saccade.kernels.dropout import Draw
from saccade.kernels.input_feeding import FeedingLoop, input_feeding
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.layers.dropout import Dropout, kept
from saccade.layers.transformer import bridge
from saccade.parts import Part


class RnnDecoder(Decoder):
    """A stack of recurrent layers that reads the memory at every step.

        bahdanau   c[t] = attend(s[t-1])               look, then move
                   s[t] = cell([x[t]; c[t]], s[t-1])
                   f[t] = tanh(W [s[t]; c[t]; x[t]])

        luong      s[t] = cell([x[t]; f[t-1]], s[t-1])   move, then look; f[t-1] if input_feeding
                   c[t] = attend(s[t])
                   f[t] = tanh(W [s[t]; c[t]])

    Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), A.2.2, with tanh for maxout; Luong, Pham &
    Manning 2015 (arXiv:1508.04025), sections 3 and 3.3. The states start from the summary,
    `s[0] = tanh(B m)`; with `begin: carried` those of each layer from the last ones of the same
    layer of the encoder, which must `carry` them and have as many layers of the same width.

    With attention `none` that is all it knows of the source: Sutskever, Vinyals & Le 2014
    (arXiv:1409.3215), in Luong's wiring without input feeding, with `begin: carried`. With
    `feed_summary` the summary is part of what every step reads, `c[t] = [attend(...); m]`; with
    attention `none`, in Bahdanau's wiring, that is the decoder of Cho et al. 2014
    (arXiv:1406.1078), equations 3 and 4.
    """

    alone: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913 - eight of them are options
        self,
        input_dim: int,
        memory_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "gru"),
        attention: Part[Attention] = Part(Attention, "additive"),
        wiring: Literal["bahdanau", "luong"] = "bahdanau",
        input_feeding: bool = True,
        feed_summary: bool = False,
        begin: Literal["bridged", "carried"] = "bridged",
        hidden: int = 256,
        layers: int = 1,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim, memory_dim)
        if not memory_dim and attention.kind != "none":
            raise ShapeError(
                f"decoder rnn: attention {attention.kind} has no memory to read, as no source is"
                " given; expected attention: none. Set it, or use decoder rnn_past, which reads"
                " its own past."
            )
        self.attention = attention.build(hidden, memory_dim)
        self.luong = wiring == "luong"
        self.feeding = self.luong and input_feeding
        self.feed_summary = feed_summary
        context_dim = self.attention.context_dim + (memory_dim if feed_summary else 0)
        beside_x = context_dim if not self.luong else hidden if input_feeding else 0
        widths = [input_dim + beside_x] + [hidden] * (layers - 1)
        self.cells = nn.ModuleList(cell.build(width, hidden) for width in widths)
        n_bridged = 0 if begin == "carried" else sum(len(c.parts) for c in self._stack)
        self.bridge = bridge(memory_dim, hidden * n_bridged) if n_bridged else None
        self.readout = nn.Linear(hidden + context_dim + (0 if self.luong else input_dim), hidden)
        self.dropout = Dropout(dropout)

    @property
    def _stack(self) -> list[Cell]:
        return list(self.cells)  # type: ignore[arg-type]

    @property
    def feature_dim(self) -> int:
        """The width of the cells."""
        return self.readout.out_features

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's own names."""
        return self.attention.names

    def start(self, memory: Memory) -> State:
        """Prepare the memory for reading and find the first states."""
        prepared = self.attention.prepare_memory(memory)
        state: State = {
            SOURCE: {"prepared": prepared, "mask": memory.mask, "summary": memory.summary},
            "cells": bridged_cells(self._stack, self.bridge, memory),
            "attention": self.attention.start(prepared),
        }
        if self.feeding:
            state["feed"] = memory.summary.new_zeros(memory.summary.shape[0], self.feature_dim)
        return state

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Move and look, in the order of the wiring, then read out."""
        return self._step(x, state, self.dropout, look=look)

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Step through the prefix, or take it at once where no step needs the one before."""
        waits = self.attention.recurrent or (not self.luong and self.attention.context_dim > 0)
        if not waits and not self.feeding:
            return self._at_once(x, memory, look=look)
        state = self.start(memory)
        draw = self.dropout.draw() if self.feeding else None  # one for the features of all steps
        features = self._feed(x, state, draw) if self.feeding and not look else None
        if features is not None:
            return Decoded(features, None)
        with GatherWeightGradients() if self.training else nullcontext():
            if self.feeding:
                return self._step_by_step(x, state, draw, look=look)
            return self._move_by_move(x, state, look=look)

    def _feed(self, x: Tensor, state: State, draw: Draw | None) -> Tensor | None:
        """Do what `_step_by_step` does in one call, where there is a kernel for it: `[B, T, D]`."""
        weights, factor = self._stack[0].as_lstm(), self.attention.factor
        if weights is None or factor is None or self.feed_summary or len(self.cells) > 1:
            return None
        source, cell = nested(state, SOURCE), nested(nested(state, "cells"), "0")
        prepared = nested(source, "prepared")
        loop = FeedingLoop(
            keys=tensor(prepared, "keys"),
            values=tensor(prepared, "values"),
            mask=tensor(source, "mask"),
            h=tensor(cell, "h"),
            c=tensor(cell, "c"),
            lstm=weights,
            R=self.readout.weight,
            r=self.readout.bias,
            z=factor,
            draw=draw,
        )
        return input_feeding(x, loop)

    def _move_by_move(self, x: Tensor, state: State, *, look: bool) -> Decoded:
        """Read out behind the loop, all steps at once: no step needs what the others wrote."""
        hiddens, reads = [], []
        for one in x.unbind(dim=1):
            hidden, read, state = self._move(one, state, look=look)
            hiddens.append(hidden)
            reads.append(read)
        context = torch.cat([read.context for read in reads], dim=1)  # [B, T, C]
        features = self.dropout(self._read_out(torch.stack(hiddens, dim=1), context, x))
        maps = [read.weights for read in reads if read.weights is not None]
        return Decoded(features, torch.cat(maps, dim=1) if maps else None)

    def _step_by_step(self, x: Tensor, state: State, draw: Draw | None, *, look: bool) -> Decoded:
        """Read out inside the loop: what is fed back is what is written, dropout and all."""
        features, maps = [], []
        masks = x.new_ones(*x.shape[:2], self.feature_dim)  # [B, T, D]
        if draw is not None:
            masks = kept(draw, masks) * (masks * draw.scale)
        for one, mask in zip(x.unbind(dim=1), masks.unbind(dim=1), strict=True):
            written, weights, state = self._step(one, state, mask.mul, look=look)
            features.append(written)
            if weights is not None:
                maps.append(weights)
        weights = torch.stack(maps, dim=1) if maps else None  # [B, T, A, S]
        return Decoded(torch.stack(features, dim=1), weights)  # [B, T, D]

    def _step(
        self, x: Tensor, state: State, drop: Callable[[Tensor], Tensor], *, look: bool
    ) -> Stepped:
        hidden, read, state = self._move(x, state, look=look)
        features = drop(self._read_out(hidden, read.context[:, 0], x))  # [B, D]
        if self.feeding:
            state["feed"] = features
        weights = None if read.weights is None else read.weights[:, 0]  # [B, A, S]
        return Stepped(features, weights, state)

    def _move(self, x: Tensor, state: State, *, look: bool) -> tuple[Tensor, Attended, State]:
        cells = nested(state, "cells")
        if self.luong:
            beside = [tensor(state, "feed")] if self.feeding else []
            hidden, cells = self._tick(torch.cat([x, *beside], dim=1), cells)
            read = self._attend(hidden[:, None], state, look=look)
        else:
            top = tensor(nested(cells, str(len(self.cells) - 1)), "h")  # [B, D]
            read = self._attend(top[:, None], state, look=look)
            hidden, cells = self._tick(torch.cat([x, read.context[:, 0]], dim=1), cells)
        return hidden, read, {**state, "cells": cells, "attention": read.state}

    def _tick(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        after: State = {}
        for i, cell in enumerate(self._stack):
            given = cell.project(self.dropout(x) if i else x)
            x, after[str(i)], _ = cell.tick(given, nested(state, str(i)))
        return x, after

    def _attend(self, query: Tensor, state: State, *, look: bool) -> Attended:
        source = nested(state, SOURCE)
        mask = tensor(source, "mask")[:, None]  # [B, 1, S]
        read: Attended = self.attention(
            query, nested(source, "prepared"), mask, nested(state, "attention"), look=look
        )
        if not self.feed_summary:
            return read
        summary = tensor(source, "summary")[:, None].expand(-1, query.shape[1], -1)  # [B, T, M]
        return Attended(torch.cat([read.context, summary], dim=2), read.weights, read.state)

    def _read_out(self, hidden: Tensor, context: Tensor, x: Tensor) -> Tensor:
        beside = [context] if self.luong else [context, x]
        return torch.tanh(self.readout(torch.cat([hidden, *beside], dim=-1)))  # [B, ..., D]

    def _at_once(self, x: Tensor, memory: Memory, *, look: bool) -> Decoded:
        """Take all steps in one sweep: what is read does not depend on the steps before."""
        state = self.start(memory)
        known = None if self.luong else self._attend(self._blank(x), state, look=look)
        hidden = x if known is None else torch.cat([x, known.context], dim=2)  # [B, T, ...]
        for i, cell in enumerate(self._stack):
            inputs = self.dropout(hidden) if i else hidden
            hidden = cell.sweep(inputs, nested(nested(state, "cells"), str(i))).outputs  # [B, T, D]
        read = self._attend(hidden, state, look=look) if known is None else known
        return Decoded(self.dropout(self._read_out(hidden, read.context, x)), read.weights)

    def _blank(self, x: Tensor) -> Tensor:
        """Return queries for an attention that gives all the same answer: `[B, T, D]`."""
        return x.new_zeros(*x.shape[:2], self.feature_dim)


def bridged_cells(cells: Sequence[Cell], bridge: nn.Module | None, memory: Memory) -> State:
    """Return the first states of a stack: bridged from the summary, or what the encoder carried."""
    if bridge is None:
        return _carried_cells(cells, memory)
    first = torch.tanh(bridge(memory.summary))  # [B, all parts of all cells]
    parts = iter(torch.split(first, cells[0].hidden_dim, dim=1))
    return {str(i): c.started({k: next(parts) for k in c.parts}) for i, c in enumerate(cells)}


def _carried_cells(cells: Sequence[Cell], memory: Memory) -> State:
    carried = memory.carried or {}
    found = [
        {name: tensor(one, name).shape[1] for name in one}
        for one in (nested(carried, name) for name in carried)
    ]
    wanted = [dict.fromkeys(cell.parts, cell.hidden_dim) for cell in cells]
    if found != wanted:
        raise ShapeError(
            f"decoder rnn: begin: carried needs the last states of {_told(wanted)}; the encoder"
            f" carries those of {_told(found)}. Set carry: true in encoder rnn, and give both the"
            " same cell, layers and width (a bidirectional layer is twice as wide as hidden)."
        )
    return {
        str(i): cell.started({k: tensor(nested(carried, str(i)), k) for k in cell.parts})
        for i, cell in enumerate(cells)
    }


def _told(layers: Sequence[Mapping[str, int]]) -> str:
    """Say how many layers there are, and what is in the first.

    >>> _told([{"h": 4, "c": 4}, {"h": 4, "c": 4}]), _told([])
    ('2 layers (h 4, c 4)', 'no layer')
    """
    if not layers:
        return "no layer"
    inside = ", ".join(f"{name} {width}" for name, width in layers[0].items())
    return f"{len(layers)} layer{'s' * (len(layers) > 1)} ({inside})"
