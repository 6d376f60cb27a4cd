"""The recurrent encoder."""

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.masks import last, reverse
from saccade.parts import Part


class RnnEncoder(Encoder):
    """A stack of recurrent layers, read left to right or in both directions.

        h[s] = [forward cell over x[1..s]; backward cell over x[S..s]]

    Schuster & Paliwal 1997; Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), section 3.2. The summary
    is the last state of each direction: the forward one at the end, the backward one at the start.
    The backward cell reads each row reversed within its own length, so padding is never read first.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "gru"),
        hidden: int = 256,
        layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        self.hidden = hidden
        self.directions = ("forward", "backward") if bidirectional else ("forward",)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        for i in range(layers):
            width = input_dim if i == 0 else self.memory_dim
            self.layers.append(nn.ModuleList(cell.build(width, hidden) for _ in self.directions))

    @property
    def memory_dim(self) -> int:
        """The width of all directions together."""
        return self.hidden * len(self.directions)

    def forward(self, source: Padded) -> Memory:
        """Run every layer over the whole sentence."""
        x, mask = source.values, source.mask  # [B, S, input_dim], [B, S]
        summary = x.new_zeros(len(x), 0)
        for i, cells in enumerate(self.layers):
            if i > 0:
                x = self.dropout(x)
            pair = list(cells)  # type: ignore[call-overload]
            runs = [self._run(c, x, mask, d) for c, d in zip(pair, self.directions, strict=True)]
            x = torch.cat([states for states, _ in runs], dim=2)  # [B, S, D]
            summary = torch.cat([final for _, final in runs], dim=1)  # [B, D]
        return Memory(x * mask[:, :, None], mask, summary)

    def _run(self, cell: Cell, x: Tensor, mask: Tensor, direction: str) -> tuple[Tensor, Tensor]:
        if direction == "backward":
            x = reverse(x, mask)
        states = cell.sweep(x, cell.start(x)).outputs  # [B, S, hidden]
        final = last(states, mask)  # [B, hidden]
        return (reverse(states, mask) if direction == "backward" else states), final
