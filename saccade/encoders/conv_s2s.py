"""The convolutional encoder of ConvS2S."""

from math import sqrt

from torch import nn

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded
from saccade.layers.convolution import GatedConvolution, check_widths, normal_linear, surround
from saccade.layers.dropout import Dropout
from saccade.parts import Part
from saccade.positions.base import Positions


class ConvS2SEncoder(Encoder):
    """Gated convolutions with a wire around each; every layer widens what a place sees.

        e = x + p;    h = W e;    h = (glu(conv(h)) + h) sqrt(1/2)    for each layer;    z = V h
        keys z,  values (z + e) sqrt(1/2)

    Gehring et al. 2017 (arXiv:1705.03122), sections 3.1 to 3.3. A place is compared by its context
    z and read with its own vector e added. The sum of two vectors is scaled by sqrt(1/2) so that
    the variance stays. The summary is the mean of the z.

    Where we differ: the paper's positions are learned, which sets a longest sentence; set
    `positions: learned` for those. The paper divides the gradient that reaches the encoder by the
    number of decoder layers and normalises weights; Adam needs neither, so both are left out.
    """

    def __init__(
        self,
        input_dim: int,
        *,
        hidden: int = 256,
        layers: int = 4,
        kernel: int = 3,
        dropout: float = 0.1,
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(input_dim)
        check_widths("encoder conv_s2s", "kernel", [kernel])
        self.kernel = kernel
        self.positions = positions.build(input_dim, None)
        self.enter = normal_linear(input_dim, hidden)
        self.layers = nn.ModuleList(
            GatedConvolution(hidden, kernel, dropout) for _ in range(layers)
        )
        self.leave = normal_linear(hidden, input_dim)
        self.dropout = Dropout(dropout)

    @property
    def memory_dim(self) -> int:
        """The width of the input."""
        return self.input_dim

    def forward(self, source: Padded) -> Memory:
        """Run every layer over the whole sentence, with zeros around it."""
        keep = source.mask[:, :, None]  # [B, S, 1]
        e = self.positions(source.values) * keep  # [B, S, D]
        h = self.enter(e)  # [B, S, hidden]
        for layer in self.layers:
            y = layer(surround(self.dropout(h) * keep, self.kernel))  # [B, S, hidden]
            h = (y + h) * sqrt(0.5)
        z = self.leave(h) * keep  # [B, S, D]
        summary = z.sum(dim=1) / source.lengths.clamp(min=1)[:, None]  # [B, D]
        return Memory(z, source.mask, summary, values=(z + e) * sqrt(0.5))
