"""No encoder: attention looks at the vectors themselves."""

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded


class NoEncoder(Encoder):
    """Hands the vectors on as states; the summary is their mean.

        h[s] = x[s]        summary = (1/S) sum_s x[s]

    For embedders whose vectors know their surroundings already, such as the grid of a convolutional
    network (Xu et al. 2015, arXiv:1502.03044, section 3.1).
    """

    @property
    def memory_dim(self) -> int:
        """The width of the vectors."""
        return self.input_dim

    def forward(self, source: Padded) -> Memory:
        """Return the vectors, zero on padding."""
        states = source.values * source.mask[:, :, None]  # [B, S, D]
        total = states.sum(dim=1)  # [B, D]
        return Memory(states, source.mask, total / source.lengths.clamp(min=1)[:, None])
