"""Two networks over a clip: what each frame shows, and what moves in it."""

from typing import ClassVar, Literal

import torch
from torch import nn

from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.parts import Part, find


class FramesConv3dEmbedder(Embedder):
    """Reads a clip by single frames and by a 3-D network.

        vectors   h[f] = W [a[f]; b[f]]                       F places
        places    h = [a[1], ..., a[F], b[1], ..., b[F]]      2 F places

    a is what `still` makes of the clip and b what `moving` does. Yao et al. 2015
    (arXiv:1502.08029), section 3.2, join the vectors; as places attention chooses between the two.
    Vectors keep the order of time, so that an encoder such as `rnn` can read them.
    """

    raw: ClassVar[str] = "video"

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        still: Part[Embedder] = Part(Embedder, "frames"),
        moving: Part[Embedder] = Part(Embedder, "conv3d"),
        join: Literal["vectors", "places"] = "vectors",
    ) -> None:
        super().__init__(size, dim)
        for option, part in (("still", still), ("moving", moving)):
            if find(Embedder, part.kind).raw != "video":
                raise ShapeError(
                    f"embedder frames_conv3d: {option} is {part.kind}, which reads no clips;"
                    " expected frames or conv3d. Change it."
                )
        self.still, self.moving = still.build(size, dim), moving.build(size, dim)
        self.join = nn.Linear(2 * dim, dim) if join == "vectors" else None

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return a row for the frames, or one for each network."""
        return (2 if self.join is None else 1), shape[0]

    def forward(self, source: Padded) -> Padded:
        """Read clips `[B, F, H, W, C]`; return `[B, F, D]` or `[B, 2 F, D]`."""
        both = [self.still(source).values, self.moving(source).values]  # 2 x [B, F, D]
        if self.join is not None:
            return Padded(self.join(torch.cat(both, dim=2)), source.mask)
        mask = source.mask[:, None].expand(-1, 2, -1)  # [B, 2, F]
        return Padded(torch.stack(both, dim=1), mask).flat()
