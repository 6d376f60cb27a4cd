"""One recurrent layer over a known sequence, read left to right or in both directions."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM, sweep_both
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
        both = _at_once(list(self), x, mask)
        if both is not None:
            return both
        runs = [_run(cell, x, mask, backward=i == 1) for i, cell in enumerate(self)]
        states = torch.cat([run.states for run in runs], dim=2)  # [B, S, D]
        return Directed(states * mask[:, :, None], torch.cat([run.final for run in runs], dim=1))


def _at_once(cells: list[nn.Module], x: Tensor, mask: Tensor) -> Directed | None:
    """Read in both directions at once, if there are two cells of a kind that can."""
    lstms = [cell for cell in cells if type(cell) is LSTM]
    found = sweep_both(lstms[0], lstms[1], x, mask) if len(lstms) == 2 else None
    return None if found is None else Directed(*found)


def _run(cell: nn.Module, x: Tensor, mask: Tensor, *, backward: bool) -> Directed:
    assert isinstance(cell, Cell)
    if backward:
        x = reverse(x, mask)
    states = cell.sweep(x, cell.start(x)).outputs  # [B, S, hidden]
    return Directed(reverse(states, mask) if backward else states, last(states, mask))
