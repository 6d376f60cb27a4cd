"""The convolutional decoder of ConvS2S."""

from math import sqrt

import torch
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.flow import SOURCE, Attended, Decoded, Memory, State, Stepped, nested, tensor
from saccade.layers.convolution import GatedConvolution, check_widths, normal_linear
from saccade.layers.dropout import Dropout
from saccade.parts import Part
from saccade.positions.base import Positions


class ConvS2SDecoder(Decoder):
    """Gated convolutions over the places before, each layer with its own look at the memory.

        g = x + p;    h = W g;    for each layer:
            y[t] = glu(conv(h[t - k + 1], ..., h[t]))
            c[t] = attend((Q y[t] + b + g[t]) sqrt(1/2)) sqrt(S)
            h[t] = ((y[t] + U c[t]) sqrt(1/2) + h[t]) sqrt(1/2)
        f = V h

    Gehring et al. 2017 (arXiv:1705.03122), sections 3.2 to 3.5: sums of two vectors are scaled by
    sqrt(1/2), what is read of S places by sqrt(S), so that the variance stays. The state of a step
    is the last k - 1 inputs of every layer, so a step costs one place whatever was written before.

    Where we differ: our embeddings enter with variance one and not 0.01, so the dot product is
    scaled (`attention: dot` is the paper's); positions and what is left out as in the encoder.
    """

    def __init__(
        self,
        input_dim: int,
        memory_dim: int,
        *,
        hidden: int = 256,
        layers: int = 4,
        kernel: int = 3,
        dropout: float = 0.1,
        attention: Part[Attention] = Part(Attention, "scaled_dot"),
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(input_dim, memory_dim)
        check_widths("decoder conv_s2s", "kernel", [kernel])
        self.positions = positions.build(input_dim, None)
        self.enter = normal_linear(input_dim, hidden)
        self.layers = nn.ModuleList(
            ConvS2SLayer(hidden, kernel, dropout, input_dim, attention.build(input_dim, memory_dim))
            for _ in range(layers)
        )
        self.leave = normal_linear(hidden, input_dim)
        self.dropout = Dropout(dropout)

    @property
    def _stack(self) -> "list[ConvS2SLayer]":
        return list(self.layers)  # type: ignore[arg-type]

    @property
    def feature_dim(self) -> int:
        """The width of the input."""
        return self.input_dim

    @property
    def attention_names(self) -> tuple[str, ...]:
        """Layer by layer, what its attention calls its maps."""
        return tuple(
            f"layer {i + 1} {name}".strip()
            for i, layer in enumerate(self._stack)
            for name in layer.attention.names
        )

    def start(self, memory: Memory) -> State:
        """Prepare the memory for every layer; zeros stand before the first place."""
        source: State = {
            str(i): layer.attention.prepare_memory(memory) for i, layer in enumerate(self._stack)
        }
        past: State = {str(i): y.nothing(memory.states) for i, y in enumerate(self._stack)}
        remembered: State = {
            str(i): y.attention.start(nested(source, str(i))) for i, y in enumerate(self._stack)
        }
        return {
            SOURCE: {**source, "mask": memory.mask},
            "past": past,
            "attention": remembered,
            "place": memory.mask.new_zeros(memory.mask.shape[0], 0),  # its width is the number
        }

    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write one place behind those in the state."""
        decoded, state = self._write(x[:, None], state, look=look)
        features, weights = decoded
        return Stepped(features[:, 0], None if weights is None else weights[:, 0], state)

    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Write all places at once; each sees only those before it."""
        return self._write(x, self.start(memory), look=look)[0]

    def _write(self, x: Tensor, state: State, *, look: bool) -> tuple[Decoded, State]:
        """Write `x [B, T, D]` behind what is in the state."""
        source, place = nested(state, SOURCE), tensor(state, "place")
        past, remembered = nested(state, "past"), nested(state, "attention")
        mask = tensor(source, "mask")[:, None]  # [B, 1, S]
        g = self.positions(x, first=place.shape[1])  # [B, T, D]
        h = self.enter(g)  # [B, T, hidden]
        after: State = {}
        reads: State = {}
        maps = []
        for i, layer in enumerate(self._stack):
            y, after[str(i)] = layer.convolve(h, tensor(past, str(i)))
            read = layer.read(
                y, g, nested(source, str(i)), mask, nested(remembered, str(i)), look=look
            )
            h = layer.join(h, y, read.context, mask)
            reads[str(i)] = read.state
            if read.weights is not None:
                maps.append(read.weights)
        features = self.dropout(self.leave(h))  # [B, T, D]
        place = torch.cat([place, place.new_ones(x.shape[:2])], dim=1)  # [B, t + T]
        state = {SOURCE: source, "past": after, "attention": reads, "place": place}
        return Decoded(features, torch.cat(maps, dim=2) if maps else None), state


class ConvS2SLayer(nn.Module):
    """One gated convolution over the past, and one look at the memory."""

    def __init__(
        self, dim: int, kernel: int, dropout: float, target_dim: int, attention: Attention
    ) -> None:
        super().__init__()
        if attention.context_dim == 0:
            raise ShapeError(
                "decoder conv_s2s: the attention reads nothing, and nothing else tells this decoder"
                " of the source; it needs an attention that reads. Use scaled_dot, or decoder rnn."
            )
        self.dim = dim
        self.convolution = GatedConvolution(dim, kernel, dropout)
        self.attention = attention
        self.query = normal_linear(dim, target_dim)
        self.context = normal_linear(attention.context_dim, dim)
        self.dropout = Dropout(dropout)

    def nothing(self, like: Tensor) -> Tensor:
        """Return what stands before the first place: zeros `[B, k - 1, D]`."""
        return like.new_zeros(like.shape[0], self.convolution.width - 1, self.dim)

    def convolve(self, h: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """Convolve `h [B, T, D]` behind `past [B, k - 1, D]`; return it and the past after it."""
        window = torch.cat([past, self.dropout(h)], dim=1)  # [B, k - 1 + T, D]
        return self.convolution(window), window[:, h.shape[1] :]

    def read(
        self, y: Tensor, g: Tensor, memory: State, mask: Tensor, state: State, *, look: bool
    ) -> Attended:
        """Look at the memory from `y [B, T, D]` and the target's own vectors `g`."""
        query = (self.query(y) + g) * sqrt(0.5)  # [B, T, target_dim]
        read: Attended = self.attention(query, memory, mask, state, look=look)
        return read

    def join(self, h: Tensor, y: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        """Add what was read to `y`, and that to the wire `h`."""
        n_places = mask.sum(dim=2, keepdim=True).to(context)  # [B, 1, 1]
        y = (y + self.context(context * n_places.sqrt())) * sqrt(0.5)
        return (y + h) * sqrt(0.5)
