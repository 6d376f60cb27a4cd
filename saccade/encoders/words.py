"""Any encoder whose decoder looks at the bare words."""

from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.flow import Memory, Padded
from saccade.parts import Part


class WordsEncoder(Encoder):
    """Sum the source up as `encoder` does, but let attention look at the vectors of the words.

        h[s] = x[s]        summary = that of the encoder

    A state of a recurrent encoder knows the words around its own; a vector of an embedding does
    not. The difference between the two shows what attention gains from reading states. The encoder
    must be as wide as the embedding. `none`, the default, leaves it out: the summary is the mean.
    """

    def __init__(self, input_dim: int, *, encoder: Part[Encoder] = Part(Encoder, "none")) -> None:
        super().__init__(input_dim)
        self.inner = encoder.build(input_dim)
        if self.inner.memory_dim != input_dim:
            raise ShapeError(
                f"encoder words: {encoder.kind} makes a summary of width {self.inner.memory_dim},"
                f" but the words have {input_dim}; expected one width. Change its hidden (a"
                " bidirectional layer is twice as wide), or model.embedding."
            )

    @property
    def memory_dim(self) -> int:
        """The width of the words."""
        return self.input_dim

    def forward(self, source: Padded) -> Memory:
        """Return the words, zero on padding, and the summary of the encoder."""
        read = self.inner.read(source)
        states = source.values * source.mask[:, :, None]  # [B, S, D]
        return Memory(states, source.mask, read.summary, carried=read.carried)
