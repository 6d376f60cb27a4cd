"""The dense encoder: one layer over all places at once, each with a matrix of its own."""

import torch
from torch import Tensor, nn

from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import Memory, Padded
from saccade.layers.dropout import Dropout


class DenseEncoder(Encoder):
    """Dense layers over the vectors of all places laid end to end; there is no recurrence.

        h[s] = relu(W_s x[s] + b)        m = relu(sum_s W_s x[s] + b) = relu([W_1 .. W_N] x + b)
        each through `layers` - 1 more:  relu(A .. + a)

    The encoder of a multi-layer perceptron: it knows where a word stands, but what it learns of a
    word at one place says nothing of the same word at the next, and a source has at most `places`
    of them, its END too; longer ones are refused. The states, what each place adds by itself, are
    for an attention.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        hidden: int = 256,
        layers: int = 1,
        places: int = 128,
        dropout: float = 0.1,
    ) -> None:
        super().__init__(input_dim)
        self.places = places
        self.W = nn.Parameter(torch.empty(places, input_dim, hidden))
        self.b = nn.Parameter(torch.zeros(hidden))
        bound = (6 / (places * input_dim + hidden)) ** 0.5
        nn.init.uniform_(self.W, -bound, bound)
        self.layers = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers - 1))
        self.dropout = Dropout(dropout)

    @property
    def memory_dim(self) -> int:
        """The width of the dense layers."""
        return self.b.shape[0]

    def forward(self, source: Padded) -> Memory:
        """Read all places at once."""
        n = source.values.shape[1]
        kept = int(source.lengths.max()) if len(source.mask) else 0
        if kept > self.places:
            raise ShapeError(
                f"encoder dense: a source has {kept} places, END counted, but the encoder has"
                f" {self.places}. Raise model.encoder.places, or set data.source.max_length."
            )
        n = min(n, self.places)
        keep = source.mask[:, :, None]  # [B, S, 1]
        x = source.values.masked_fill(~keep, 0.0)[:, :n]  # [B, n, D]
        each = torch.einsum("bnd,ndh->bnh", x, self.W[:n])  # [B, n, H]
        states, summary = self._above(each), self._above(each.sum(dim=1))
        missing = states.new_zeros(len(states), source.mask.shape[1] - n, self.memory_dim)
        states = torch.cat([states, missing], dim=1) * keep  # [B, S, H]
        return Memory(states, source.mask, summary * source.mask.any(dim=1, keepdim=True))

    def _above(self, sums: Tensor) -> Tensor:
        y = torch.relu(sums + self.b)
        for layer in self.layers:
            y = torch.relu(layer(self.dropout(y)))
        return y
