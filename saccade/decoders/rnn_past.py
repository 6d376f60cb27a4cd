"""The recurrent decoder that reads its own past."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import SOURCE, Decoded, Memory, State, Stepped, append, causal, nested, tensor
from saccade.layers.dropout import Dropout
from saccade.layers.transformer import bridge
from saccade.parts import Part


class RnnPast(Decoder):
    """A stack of recurrent layers that looks back at the states it went through.

        s[t] = cell(x[t], s[t-1])
        c[t] = attend(s[t]) over s[0], ..., s[t-1]
        f[t] = tanh(W [s[t]; c[t]])

    Cheng, Dong & Lapata 2016 (arXiv:1601.06733) in the wiring of Luong: the context goes to the
    output and not back into the cell, so that all steps of a known prefix are taken at once. The
    state before the first symbol, `s[0] = tanh(B m)` of the summary m, can be looked at too, so
    there is always something to read. The memory itself is not read.
    """

    alone: ClassVar[bool] = True
    n_before: ClassVar[int] = 1  # the state that it starts from

    def __init__(
        self,
        input_dim: int,
        memory_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "lstm"),
        attention: Part[Attention] = Part(Attention, "bilinear"),
        hidden: int = 256,
        layers: int = 1,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim, memory_dim)
        self.attention = attention.build(hidden, hidden)
        if self.attention.recurrent or self.attention.hard:
            raise ShapeError(
                f"decoder rnn_past: attention {attention.kind} reads one place after another, or"
                " chooses one, but the past is read at once and grows. Use bilinear, additive or"
                " multihead."
            )
        widths = [input_dim] + [hidden] * (layers - 1)
        self.cells = nn.ModuleList(cell.build(width, hidden) for width in widths)
        self.bridge = bridge(memory_dim, hidden * sum(len(c.parts) for c in self._stack))
        self.readout = nn.Linear(hidden + self.attention.context_dim, hidden)
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
        """None: the maps of a decoder are over the memory."""
        return ()

    @property
    def self_attention(self) -> Mapping[str, Attention]:
        """The one."""
        return {"": self.attention}

    def start(self, memory: Memory) -> State:
        """Bridge the summary to the first states, the top one of which is the past."""
        cells = self._first(memory)
        past = self.attention.prepare(self._top(cells)[:, None])
        return {SOURCE: {"mask": memory.mask}, "cells": cells, "past": past}

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Move, look back, read out; then the new state is past."""
        past, after = nested(state, "past"), State()
        for i, cell in enumerate(self._stack):
            before = nested(nested(state, "cells"), str(i))
            x, after[str(i)], _ = cell(self.dropout(x) if i else x, before)
        n_places = next(iter(past.values())).shape[-2]  # type: ignore[union-attr]
        mask = torch.ones(x.shape[0], 1, n_places, dtype=torch.bool, device=x.device)
        features = self._features(x[:, None], past, mask)[:, 0]  # [B, D]
        source = nested(state, SOURCE)
        past = append(past, self.attention.prepare(x[:, None]))
        weights = _no_maps(features, tensor(source, "mask")) if look else None
        return Stepped(features, weights, {SOURCE: source, "cells": after, "past": past})

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Take all steps, then look back from each at once."""
        cells, hidden = self._first(memory), x
        for i, cell in enumerate(self._stack):
            inputs = self.dropout(hidden) if i else hidden
            hidden = cell.sweep(inputs, nested(cells, str(i))).outputs  # [B, T, D]
        past = torch.cat([self._top(cells)[:, None], hidden[:, :-1]], dim=1)  # [B, T, D]
        mask = causal(x.shape[1], x.device)[None]  # [1, T, T]
        features = self._features(hidden, self.attention.prepare(past), mask)
        return Decoded(features, _no_maps(features, memory.mask) if look else None)

    def _first(self, memory: Memory) -> State:
        bridged = torch.tanh(self.bridge(memory.summary))  # [B, layers x parts x D]
        parts = iter(torch.split(bridged, self.feature_dim, dim=1))
        return {
            str(i): c.started({n: next(parts) for n in c.parts}) for i, c in enumerate(self._stack)
        }

    def _top(self, cells: State) -> Tensor:
        return tensor(nested(cells, str(len(self.cells) - 1)), "h")  # [B, D]

    def _features(self, hidden: Tensor, past: State, mask: Tensor) -> Tensor:
        context = self.attention(hidden, past, mask, self.attention.start(past)).context
        both = torch.cat([hidden, context], dim=-1)  # [B, T, D + C]
        return self.dropout(torch.tanh(self.readout(both)))  # type: ignore[no-any-return]


def _no_maps(features: Tensor, mask: Tensor) -> Tensor:
    """Make weights of no maps over the memory: `[B, ..., 0, S]`."""
    return features.new_zeros(*features.shape[:-1], 0, mask.shape[1])
