"""What embedders of clips share: the squares of each frame pooled to one vector."""

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_max_pool2d, relu

from saccade.errors import ShapeError

_LEAST = 1e-4  # variance that is added, so that what is flat stays so


class FramePool(nn.Module):
    """Pools the squares of every frame to `cells` x `cells`, and mixes those to one vector.

        n = (z - mean z) / sqrt(var z + 1e-4)        of each channel, over all squares of a clip
        m[f, p] = max over the squares of cell p of relu(n[f])
        h[f] = W [m[f, 1]; ...; m[f, P]] + b         P = cells^2

    Most squares show what stands still and is everywhere. The norm (Ulyanov, Vedaldi & Lempitsky
    2016, arXiv:1607.08022) takes that away, so that what is rare decides the maximum. It is over
    one clip, so that frames still differ and a clip does not depend on those in its batch. The
    maximum within a fixed number of cells: He et al. 2014 (arXiv:1406.4729), section 2.2, with one
    level.
    """

    def __init__(self, width: int, dim: int, cells: int) -> None:
        super().__init__()
        if not 1 <= cells <= 16:
            raise ShapeError(
                f"cells: found {cells}; a frame is pooled to cells x cells; expected 1 to 16."
                " Change it."
            )
        self.cells = cells
        self.W = nn.Linear(width * cells**2, dim)

    def forward(self, z: Tensor, mask: Tensor) -> Tensor:
        """Read `[B, F, H', W', C]` and `mask [B, F]`; return `[B, F, D]`, zero at padding."""
        keep = mask[:, :, None, None, None].to(z.dtype)  # [B, F, 1, 1, 1]
        count = (keep.sum(dim=(1, 2, 3), keepdim=True) * z.shape[2] * z.shape[3]).clamp(min=1)
        mean = (z * keep).sum(dim=(1, 2, 3), keepdim=True) / count  # [B, 1, 1, 1, C]
        apart = (z - mean) * keep
        spread = apart.square().sum(dim=(1, 2, 3), keepdim=True) / count
        seen = relu(apart * (spread + _LEAST).rsqrt()).flatten(0, 1)  # [B F, H', W', C]
        pooled = adaptive_max_pool2d(seen.permute(0, 3, 1, 2), self.cells)  # [B F, C, P, P]
        vectors: Tensor = self.W(pooled.flatten(1))  # [B F, D]
        return vectors.view(*mask.shape, -1) * mask[:, :, None]


def laid_out(frames: Tensor, mask: Tensor) -> Tensor:
    """Put what belongs to real frames, `[N, ...]`, in its place, zeros elsewhere: `[B, F, ...]`."""
    places = frames.new_zeros(mask.numel(), *frames.shape[1:])
    index = mask.flatten().nonzero()[:, 0]
    return torch.index_copy(places, 0, index, frames).view(*mask.shape, *frames.shape[1:])
