"""The instant decoder: all outputs at once."""

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.flow import SOURCE, Decoded, Memory, State, Stepped, nested, tensor
from saccade.layers.dropout import Dropout
from saccade.parts import Part
from saccade.positions.base import Positions


class InstantDecoder(Decoder):
    """Dense layers from the summary and the number of a place; nothing written is read.

        u[t] = relu(A ... relu(A_1 [m; p[t]] + a_1) ... + a)
        c[t] = attend(u[t])                                       (nothing, by default)
        f[t] = tanh(W [u[t]; c[t]] + b)

    So the outputs do not know of each other: p(y | x) = prod_t p(y[t] | x, t). Right where the
    source leaves no choice (a date, a number, a label), wrong where one word decides another:
    the smallest non-autoregressive model (compare Gu et al. 2018, arXiv:1711.02281). With an
    attention, the place asks where to look. Sinusoidal positions p know no last place; with
    `learned` ones, `most` is the longest output.

    The target embedding is used only as the output matrix; keep `tie: output`.
    """

    def __init__(
        self,
        input_dim: int,
        memory_dim: int,
        *,
        hidden: int = 256,
        layers: int = 2,
        dropout: float = 0.1,
        attention: Part[Attention] = Part(Attention, "none"),
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(input_dim, memory_dim)
        self.positions = positions.build(hidden, None)
        widths = [memory_dim + hidden] + [hidden] * (layers - 1)
        self.layers = nn.ModuleList(nn.Linear(width, hidden) for width in widths)
        self.attention = attention.build(hidden, memory_dim)
        self.readout = nn.Linear(hidden + self.attention.context_dim, hidden)
        self.dropout = Dropout(dropout)

    @property
    def feature_dim(self) -> int:
        """The width of the dense layers."""
        return self.readout.out_features

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The attention's own names."""
        return self.attention.names

    def start(self, memory: Memory) -> State:
        """Prepare the memory; no place has been written yet."""
        prepared = self.attention.prepare_memory(memory)
        return {
            SOURCE: {"prepared": prepared, "mask": memory.mask, "summary": memory.summary},
            "attention": self.attention.start(prepared),
            "place": memory.mask.new_zeros(memory.mask.shape[0], 0),  # its width is the number
        }

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the next place, whatever `x` is."""
        decoded, state = self._write(1, state, look=look)
        features, weights = decoded
        return Stepped(features[:, 0], None if weights is None else weights[:, 0], state)

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Write as many places as `x [B, T, input_dim]` has."""
        return self._write(x.shape[1], self.start(memory), look=look)[0]

    def _write(self, n: int, state: State, *, look: bool) -> tuple[Decoded, State]:
        """Write `n` places behind those in the state."""
        source, place = nested(state, SOURCE), tensor(state, "place")
        summary = tensor(source, "summary")[:, None].expand(-1, n, -1)  # [B, n, memory_dim]
        nowhere = summary.new_zeros(summary.shape[0], n, self.feature_dim)
        u = torch.cat([summary, self.positions(nowhere, first=place.shape[1])], dim=2)
        for layer in self.layers:
            u = self.dropout(torch.relu(layer(u)))  # [B, n, D]
        read = self.attention(
            u,
            nested(source, "prepared"),
            tensor(source, "mask")[:, None],
            nested(state, "attention"),
            look=look,
        )
        features = torch.tanh(self.readout(torch.cat([u, read.context], dim=2)))  # [B, n, D]
        place = torch.cat([place, place.new_ones(place.shape[0], n)], dim=1)  # [B, t + n]
        state = {SOURCE: source, "attention": read.state, "place": place}
        return Decoded(self.dropout(features), read.weights), state
