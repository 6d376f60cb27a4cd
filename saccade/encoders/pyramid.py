"""The pyramid: a recurrent encoder that shortens time from layer to layer."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import Directions
from saccade.flow import Memory, Padded
from saccade.layers.dropout import Dropout
from saccade.parts import Part


class PyramidEncoder(Encoder):
    """A stack of recurrent layers of which each above the first reads two states at a time.

        h[j][s] = layer_j over [h[j-1][2s]; h[j-1][2s+1]]

    Chan, Jaitly, Le & Vinyals 2016, "Listen, attend and spell" (arXiv:1508.01211), equation 5. With
    L layers a state stands for 2^(L-1) places of the source and attention has so many times fewer
    to look at: for speech, or text in characters. An odd state at the end is joined with zeros.
    The summary is the last state of each direction of the top layer.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        cell: Part[Cell] = Part(Cell, "lstm"),
        hidden: int = 256,
        layers: int = 3,
        bidirectional: bool = True,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        self.width = hidden * (1 + bidirectional)
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(
            Directions(cell, width, hidden, bidirectional=bidirectional)
            for width in [input_dim] + [2 * self.width] * (layers - 1)
        )

    @property
    def memory_dim(self) -> int:
        """The width of all directions together."""
        return self.width

    def n_states(self, n_places: int) -> int:
        """Return a 2^(L-1)-th, rounded up."""
        return -(-n_places >> (len(self.layers) - 1))

    def forward(self, source: Padded) -> Memory:
        """Run every layer; the memory has a 2^(L-1)-th of the places, rounded up."""
        mask = source.mask  # [B, S]
        x, summary = self.layers[0](source.values, mask)  # [B, S, D], [B, D]
        for layer in list(self.layers)[1:]:
            x, mask = _pairs(self.dropout(x)), mask[:, ::2]
            x, summary = layer(x, mask)
        places = torch.arange(source.mask.shape[1], device=x.device) >> (len(self.layers) - 1)
        places = places.expand_as(source.mask).masked_fill(~source.mask, -1)  # [B, S]
        return Memory(x, mask, summary, places)


def _pairs(x: Tensor) -> Tensor:
    """Join each state with its neighbour: `[B, S, D]` to `[B, (S + 1) // 2, 2D]`."""
    x = pad(x, (0, 0, 0, x.shape[1] % 2))
    return x.reshape(x.shape[0], x.shape[1] // 2, 2 * x.shape[2])
