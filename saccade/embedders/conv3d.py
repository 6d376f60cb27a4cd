"""A small residual network with kernels over space and time."""

from math import log2
from typing import ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, relu

from saccade.embedders._frames import FramePool
from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded

_NARROWEST = 8  # channels of an early stage


class Conv3dEmbedder(Embedder):
    """A residual 3-D network that gives a vector for every frame, which knows those around it.

        x = 2 p / 255 - 1
        stage:   x = D x                            every second row and column, kernel 3 x 4 x 4
                 x = x + V relu(U norm(x))          `depth` times; U has kernel 3 x 3 x 3, V 1
        output:  h = FramePool(W norm(x) + C [r; c])

    There are log2(stride) stages. The last has `width` channels, each one before it half as many,
    but 8 at least; the output has `hidden`. r and c are the middle of a square. The rest is as in
    `cnn`, with time as a third axis that is never thinned. Tran et al. 2015 (arXiv:1412.0767) for
    kernels of 3 in space and time; Yao et al. 2015 (arXiv:1502.08029), section 3.1, for their use
    as "local temporal structure" beside single frames. What lies before the first and behind the
    last frame is zero in every layer, be it the end of a clip or the padding of a batch.

    One vector sees `reach` frames: 9 with stride 4 and depth 1.
    """

    raw: ClassVar[str] = "video"

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        width: int = 32,
        depth: int = 1,
        stride: int = 4,
        hidden: int = 128,
        cells: int = 1,
    ) -> None:
        super().__init__(size, dim)
        _check(width, depth, stride)
        self.depth = depth
        n_stages = int(log2(stride))
        widths = [max(width >> i, min(_NARROWEST, width)) for i in reversed(range(n_stages))]
        inputs = [size, *widths]
        self.stages = nn.ModuleList(
            _Stage3d(before, after, depth) for before, after in zip(inputs, widths, strict=False)
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, hidden)
        self.places = nn.Linear(2, hidden, bias=False)
        self.pool = FramePool(hidden, dim, cells)

    @property
    def reach(self) -> int:
        """Frames that a vector depends on."""
        return 1 + 2 * len(self.stages) * (1 + self.depth)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return one row of as many places as a clip `[F, H, W, C]` has frames."""
        return 1, shape[0]

    def forward(self, source: Padded) -> Padded:
        """Read clips `[B, F, H, W, C]` from 0 to 255; return `[B, F, D]`."""
        mask = source.mask[:, :, None, None, None]  # [B, F, 1, 1, 1]
        x = (source.values.to(self.norm.weight.dtype) / 127.5 - 1) * mask
        for stage in self.stages:
            x = cast("Tensor", stage(x, mask))  # [B, F, H/2, W/2, ...]
        x = self.output(self.norm(x)) + self.places(_middles(*x.shape[2:4]).to(x))
        return Padded(self.pool(x, source.mask), source.mask)


class _Stage3d(nn.Module):
    """Halves both sides of frames, then adds to what it has."""

    def __init__(self, before: int, after: int, depth: int) -> None:
        super().__init__()
        self.D = nn.Conv3d(before, after, (3, 4, 4), stride=(1, 2, 2))
        self.blocks = nn.ModuleList(_Block3d(after) for _ in range(depth))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read `[B, F, H, W, C]`, zero where `mask [B, F, 1, 1, 1]` is not set."""
        height, width = x.shape[2:4]
        around = pad(x, (0, 0, 1, 1 + width % 2, 1, 1 + height % 2, 1, 1))
        x = _last(self.D(_first(around))) * mask
        for block in self.blocks:
            x = block(x, mask)
        return x * mask


class _Block3d(nn.Module):
    """Adds what a small network makes of a place and its neighbours in space and time."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.U = nn.Conv3d(dim, dim, 3, padding=1)
        self.V = nn.Conv3d(dim, dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read `[B, F, H, W, D]`."""
        return x + _last(self.V(relu(self.U(_first(self.norm(x) * mask)))))


def _first(x: Tensor) -> Tensor:
    """Put channels first, as torch's convolutions want them: `[B, C, F, H, W]`."""
    return x.permute(0, 4, 1, 2, 3)


def _last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 4, 1)  # [B, F, H, W, C]


def _middles(height: int, width: int) -> Tensor:
    """Return the middle of every square of a grid, from -1 to 1: `[H', W', 2]`.

    >>> _middles(1, 2).tolist()
    [[[0.0, -0.5], [0.0, 0.5]]]
    """
    r = 2 * (torch.arange(height) + 0.5) / height - 1
    c = 2 * (torch.arange(width) + 0.5) / width - 1
    return torch.stack(torch.meshgrid(r, c, indexing="ij"), dim=2)


def _check(width: int, depth: int, stride: int) -> None:
    if width < 1 or depth < 0:
        raise ShapeError(
            f"embedder conv3d: width is {width} and depth {depth}; expected a width from 1 and a"
            " depth from 0 on. Change them."
        )
    if stride < 2 or stride & (stride - 1):
        raise ShapeError(
            f"embedder conv3d: stride is {stride}; each stage halves the frames, so expected 2, 4,"
            " 8 or a higher power of 2. Change it."
        )
