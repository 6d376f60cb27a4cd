"""The recurrent encoder."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded, last, reverse
from saccade.kernels.lstm import LstmDirections, bidirectional_lstm
from saccade.layers.dropout import Dropout
from saccade.parts import Part


class RnnEncoder(Encoder):
    """A stack of recurrent layers, read left to right or in both directions.

        h[s] = [forward cell over x[1..s]; backward cell over x[S..s]]

    Schuster & Paliwal 1997; Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), section 3.2. The summary
    is the last state of each direction: the forward one at the end, the backward one at the start.

    With `residual`, each layer above the first adds to what it reads, `x = x + layer(x)`, and its
    last states to the summary. With `above: forward` only the first layer reads in both directions
    and those above it, of the same width, left to right. Together they are the encoder of GNMT (Wu
    et al. 2016, arXiv:1609.08144, section 3), whose residual connections start one layer later.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "gru"),
        hidden: int = 256,
        layers: int = 1,
        bidirectional: bool = True,
        above: Literal["same", "forward"] = "same",
        residual: bool = False,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        self.hidden = hidden
        self.n_directions = 1 + bidirectional
        self.residual = residual
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
        mask = source.mask  # [B, S]
        x, summary = self.layers[0](source.values, mask)  # [B, S, D], [B, D]
        for layer in list(self.layers)[1:]:
            states, final = layer(self.dropout(x), mask)
            x, summary = (x + states, summary + final) if self.residual else (states, final)
        return Memory(x, mask, summary)


class Directed(NamedTuple):
    """What a layer made of a sequence: states `[B, S, D]`, zero at padding, and the last ones."""

    states: Tensor
    final: Tensor


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
