"""The recurrent encoder."""

from typing import Literal

from torch import nn

from saccade.cells.base import Cell
from saccade.encoders._directions import Directions
from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
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
