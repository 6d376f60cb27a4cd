"""The decoder of handwriting synthesis: a window in the first layer, and skip connections."""

from contextlib import nullcontext

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.flow import SOURCE, Attended, Decoded, Memory, State, Stepped, nested, tensor
from saccade.kernels.weight_gradients import GatherWeightGradients
from saccade.kernels.window import WindowLoop, WindowStates, window
from saccade.layers.dropout import Dropout
from saccade.parts import Part


class WindowDecoder(Decoder):
    """A stack of recurrent layers, of which the first moves a window and all see it.

        h1[t] = cell_1([x[t]; w[t-1]], h1[t-1])           w[0] = 0
        w[t]  = attend(h1[t])
        hn[t] = cell_n([x[t]; h(n-1)[t]; w[t]], hn[t-1])   n = 2 ... N
        f[t]  = [h1[t]; ... ; hN[t]]

    Graves 2013 (arXiv:1308.0850), equations 52 to 56: the input and the window go to every layer,
    and every layer to the output. The cells have no peepholes. All states start at zero, so that
    the window is all that the decoder knows of the source; with attention `none` it knows nothing,
    which is the prediction network of section 2.
    """

    def __init__(
        self,
        input_dim: int,
        memory_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "lstm"),
        attention: Part[Attention] = Part(Attention, "gaussian_mixture"),
        hidden: int = 256,
        layers: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim, memory_dim)
        if layers < 1:
            raise RecipeError(f"decoder window: layers: {layers} is below 1; use 1 or more.")
        self.attention = attention.build(hidden, memory_dim)
        wide = input_dim + self.attention.context_dim
        widths = [wide] + [wide + hidden] * (layers - 1)
        self.cells = nn.ModuleList(cell.build(width, hidden) for width in widths)
        self.dropout = Dropout(dropout)

    @property
    def _stack(self) -> list[Cell]:
        return list(self.cells)  # type: ignore[arg-type]

    @property
    def feature_dim(self) -> int:
        """The width of all layers."""
        return sum(cell.hidden_dim for cell in self._stack)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's own names."""
        return self.attention.names

    def start(self, memory: Memory) -> State:
        """Prepare the memory; nothing has been seen of it yet."""
        prepared, like = self.attention.prepare_memory(memory), memory.summary
        return {
            SOURCE: {"prepared": prepared, "mask": memory.mask},
            "cells": {str(i): cell.start(like) for i, cell in enumerate(self._stack)},
            "attention": self.attention.start(prepared),
            "window": like.new_zeros(like.shape[0], self.attention.context_dim),
        }

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Move the first layer, then the window, then the other layers."""
        hidden, read, state = self._move(x, state, look=look)
        seen, after = read.context[:, 0], dict(nested(state, "cells"))
        features = [hidden]
        for i, cell in enumerate(self._stack[1:], start=1):
            given = self.dropout(torch.cat([x, features[-1], seen], dim=1))
            hidden, after[str(i)], _ = cell(given, nested(after, str(i)))
            features.append(hidden)
        weights = None if read.weights is None else read.weights[:, 0]  # [B, A, S]
        return Stepped(self.dropout(torch.cat(features, dim=1)), weights, {**state, "cells": after})

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Step through the prefix with the first layer; the others take it at once."""
        state = self.start(memory)
        if self.attention.context_dim:
            with GatherWeightGradients() if self.training else nullcontext():
                hidden, seen, weights = self._first_layer(x, state, look=look)
        else:
            cells = nested(state, "cells")
            hidden = self._stack[0].sweep(x, nested(cells, "0")).outputs  # [B, T, D]
            read = self._attend(hidden, state, look=look)
            seen, weights = read.context, read.weights
        features = [hidden]
        for i, cell in enumerate(self._stack[1:], start=1):
            given = self.dropout(torch.cat([x, features[-1], seen], dim=2))
            features.append(cell.sweep(given, nested(nested(state, "cells"), str(i))).outputs)
        return Decoded(self.dropout(torch.cat(features, dim=2)), weights)

    def _first_layer(
        self, x: Tensor, state: State, *, look: bool
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return h1 `[B, T, D]`, what the window saw `[B, T, C]`, and its weights."""
        made = None if look else self._by_kernel(x, nested(state, SOURCE))
        if made is not None:
            return made.hidden, made.window, None
        hiddens, reads = [], []
        for one in x.unbind(dim=1):
            hidden, read, state = self._move(one, state, look=look)
            hiddens.append(hidden)
            reads.append(read)
        maps = [read.weights for read in reads if read.weights is not None]
        seen = torch.cat([read.context for read in reads], dim=1)
        return torch.stack(hiddens, dim=1), seen, torch.cat(maps, dim=1) if maps else None

    def _by_kernel(self, x: Tensor, source: State) -> WindowStates | None:
        """Take all steps of the first layer in one call, where there is a kernel for it."""
        lstm, bells = self._stack[0].as_lstm(), self.attention.as_window()
        if lstm is None or bells is None:
            return None
        values = tensor(nested(source, "prepared"), "values")
        return window(x, WindowLoop(values, tensor(source, "mask"), lstm, bells))

    def _move(self, x: Tensor, state: State, *, look: bool) -> tuple[Tensor, Attended, State]:
        cells = nested(state, "cells")
        given = torch.cat([x, tensor(state, "window")], dim=1)
        hidden, first, _ = self._stack[0](given, nested(cells, "0"))
        read = self._attend(hidden[:, None], state, look=look)
        moved: State = {
            **state,
            "cells": {**cells, "0": first},
            "attention": read.state,
            "window": read.context[:, 0],
        }
        return hidden, read, moved

    def _attend(self, query: Tensor, state: State, *, look: bool) -> Attended:
        source = nested(state, SOURCE)
        mask = tensor(source, "mask")[:, None]  # [B, 1, S]
        read: Attended = self.attention(
            query, nested(source, "prepared"), mask, nested(state, "attention"), look=look
        )
        return read
