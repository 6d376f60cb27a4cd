"""The recurrent encoder."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError
from saccade.flow import Memory, Padded, State, Swept, last, map_both, reverse, tensor
from saccade.kernels.lstm import LstmDirections, bidirectional_lstm
from saccade.layers.dropout import Dropout
from saccade.parts import Part


class RnnEncoder(Encoder):
    """A stack of recurrent layers, read left to right or in both directions.

        h[s] = [forward cell over x[1..s]; backward cell over x[S..s]]

    Schuster & Paliwal 1997; Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), section 3.2. The summary
    is the last state of each direction: the forward one at the end, the backward one at the start.

    With `residual`, each layer from the second on adds to what it reads, `x = x + layer(x)`, and
    its last states to the summary. With `above: forward` only the first layer reads in both
    directions and those above it, of the same width, left to right. Both, with `residual_from: 3`,
    are the encoder of GNMT (Wu et al. 2016, arXiv:1609.08144, section 3).

    With `carry` the memory also has the last states of every layer, cells and all, so that those
    of a decoder can start from them (Sutskever, Vinyals & Le 2014, arXiv:1409.3215, section 2).
    Then all cells take their steps one by one, and wait at padding.
    """

    def __init__(  # noqa: PLR0913 - all but one are options
        self,
        input_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "gru"),
        hidden: int = 256,
        layers: int = 1,
        bidirectional: bool = True,
        above: Literal["same", "forward"] = "same",
        residual: bool = False,
        residual_from: int = 2,
        carry: bool = False,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        if residual_from < 2:
            raise RecipeError(
                f"encoder rnn: residual_from {residual_from} is below 2; the first layer reads"
                " words and not a layer. Give the number of the first layer that adds what it"
                " reads."
            )
        self.hidden = hidden
        self.n_directions = 1 + bidirectional
        self.adds = [residual and i + 1 >= residual_from for i in range(layers)]
        self.carry = carry
        self.dropout = Dropout(dropout)
        first = Directions(cell, input_dim, hidden, bidirectional=bidirectional)
        both, width = bidirectional and above == "same", self.memory_dim
        self.layers = nn.ModuleList(
            [
                first,
                *(
                    Directions(cell, width, hidden if both else width, bidirectional=both)
                    for _ in range(layers - 1)
                ),
            ]
        )

    @property
    def memory_dim(self) -> int:
        """The width of all directions together."""
        return self.hidden * self.n_directions

    def forward(self, source: Padded) -> Memory:
        """Run every layer over the whole sentence."""
        mask, x, summary = source.mask, source.values, source.values[:, :0].sum(dim=1)
        carried: State = {}
        for i, (layer, adds) in enumerate(zip(self._stack, self.adds, strict=True)):
            given = self.dropout(x) if i else x
            if self.carry:
                (states, final), carried[str(i)] = layer.carried(given, mask)
            else:
                states, final = layer(given, mask)
            x, summary = (x + states, summary + final) if adds else (states, final)
        return Memory(x, mask, summary, carried=carried or None)

    @property
    def _stack(self) -> list["Directions"]:
        return list(self.layers)  # type: ignore[arg-type]


class Directed(NamedTuple):
    """What a layer made of a sequence: states `[B, S, D]`, zero at padding, and the last ones."""

    states: Tensor
    final: Tensor


class Carried(NamedTuple):
    """What a layer made of a sequence, and the states of its cells behind the last kept place."""

    read: Directed
    state: State


class Directions(nn.ModuleList):
    """A cell for each direction; their states stand side by side.

        h[s] = [forward cell over x[1..s]; backward cell over x[S..s]]

    The backward cell reads each row reversed within its own length, so padding is never read first.
    """

    def __init__(
        self, cell: Part[Cell], input_dim: int, hidden: int, *, bidirectional: bool
    ) -> None:
        super().__init__(cell.build(input_dim, hidden) for _ in range(1 + bidirectional))
        self._paired = bidirectional and cell.kind == "lstm"  # both directions have a kernel

    def forward(self, x: Tensor, mask: Tensor) -> Directed:
        """Read `x [B, S, input_dim]` at the places `mask [B, S]` keeps."""
        both = self._both(x, mask) if self._paired else None
        if both is not None:
            return Directed(*both)
        runs = [_run(cell, x, mask, backward=i == 1) for i, cell in enumerate(self._cells)]
        states = torch.cat([run.states for run in runs], dim=2)  # [B, S, D]
        return Directed(states * mask[:, :, None], torch.cat([run.final for run in runs], dim=1))

    def carried(self, x: Tensor, mask: Tensor) -> Carried:
        """Read as `forward` does, and tell the last states, directions side by side."""
        runs = [_walk(cell, x, mask, backward=i == 1) for i, cell in enumerate(self._cells)]
        outputs = torch.cat([run.outputs for run in runs], dim=2) * mask[:, :, None]  # [B, S, D]
        each = [run.state for run in runs]
        parts = self._cells[0].parts
        state: State = {k: torch.cat([tensor(one, k) for one in each], dim=1) for k in parts}
        return Carried(Directed(outputs, tensor(state, "h")), state)

    def _both(self, x: Tensor, mask: Tensor) -> LstmDirections | None:
        """Read in both directions at once, where there is a kernel for it."""
        weights = [one for cell in self._cells if (one := cell.as_lstm()) is not None]
        return bidirectional_lstm(x, mask, *weights) if len(weights) == 2 else None

    @property
    def _cells(self) -> list[Cell]:
        return list(self)  # type: ignore[arg-type]


def _run(cell: Cell, x: Tensor, mask: Tensor, *, backward: bool) -> Directed:
    if backward:
        x = reverse(x, mask)
    states = cell.sweep(x, cell.start(x)).outputs  # [B, S, hidden]
    return Directed(reverse(states, mask) if backward else states, last(states, mask))


def _walk(cell: Cell, x: Tensor, mask: Tensor, *, backward: bool) -> Swept:
    """Take all steps one by one; a row whose places have come to their end waits."""
    projected = cell.project(reverse(x, mask) if backward else x)  # [B, S, G]
    state, outputs = cell.start(x), []
    for one, here in zip(projected.unbind(dim=1), mask.unbind(dim=1), strict=True):
        output, after, _ = cell.tick(one, state)
        state = map_both(_where(here[:, None]), after, state)
        outputs.append(output)
    states = torch.stack(outputs, dim=1)  # [B, S, D]
    return Swept(reverse(states, mask) if backward else states, state)


def _where(goes_on: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda after, before: torch.where(goes_on, after, before)
