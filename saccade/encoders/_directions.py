"""One recurrent layer over a known sequence, read left to right or in both directions."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.kernels.lstm import LstmDirections, bidirectional_lstm
from saccade.masks import last, reverse
from saccade.parts import Part


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

    def forward(self, x: Tensor, mask: Tensor) -> Directed:
        """Read `x [B, S, input_dim]` at the places `mask [B, S]` keeps."""
        both = self._both(x, mask)
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
