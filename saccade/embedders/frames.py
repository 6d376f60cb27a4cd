"""A picture's network over every frame of a clip."""

from typing import ClassVar, cast

import torch

from saccade.embedders._frames import FramePool, laid_out
from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.parts import Part, find


class FramesEmbedder(Embedder):
    """Reads every frame alone by a network for pictures, and pools it to one vector.

        z[f] = network(frame f)                  a vector for every square
        h = FramePool(z)

    Attention over the F vectors is attention over time: the "global temporal structure" of Yao et
    al. 2015 (arXiv:1502.08029), section 3.2, who pool a frame to its mean. A frame knows nothing of
    those beside it; an encoder such as `rnn` adds that. Only real frames are read, so padding costs
    nothing and changes nothing.
    """

    raw: ClassVar[str] = "video"

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        network: Part[Embedder] = Part(Embedder, "cnn"),
        hidden: int = 128,
        cells: int = 3,
    ) -> None:
        super().__init__(size, dim)
        reads = find(Embedder, network.kind).raw
        if reads != "picture":
            raise ShapeError(
                f"embedder frames: network {network.kind} reads {reads or 'anything'}; a frame is a"
                " picture, so expected a network such as cnn. Change it."
            )
        self.network = network.build(size, hidden)
        self.pool = FramePool(hidden, dim, cells)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return one row of as many places as a clip `[F, H, W, C]` has frames."""
        return 1, shape[0]

    def forward(self, source: Padded) -> Padded:
        """Read clips `[B, F, H, W, C]` from 0 to 255; return `[B, F, D]`."""
        frames = source.values[source.mask]  # [N, H, W, C], the real ones
        inside = torch.ones(frames.shape[:3], dtype=torch.bool, device=frames.device)
        read = cast("Padded", self.network(Padded(frames, inside)))  # [N, H' W', D]
        height, width = self.network.grid(tuple(frames.shape[1:]))
        squares = read.values.reshape(len(frames), height, width, -1)
        return Padded(self.pool(laid_out(squares, source.mask), source.mask), source.mask)
