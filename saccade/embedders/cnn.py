"""A small convolutional network over a picture, residual or plain."""

from math import log2
from typing import ClassVar, cast

from torch import Tensor, nn
from torch.nn.functional import pad, relu

from saccade.embedders._grid import coordinates
from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded

_NARROWEST = 16  # channels of an early stage


class CnnEmbedder(Embedder):
    """A network that gives a vector for every square of `stride` x `stride` pixels.

        x = 2 p / 255 - 1
        stage:   x = D x                            every second row and column, kernel 4
                 x = x + V relu(U norm(x))          `depth` times; U has kernel 3, V kernel 1
                 x = V relu(U norm(x))              if it is not `residual`
        output:  h[i, j] = W norm(x[i, j]) + C [r[i]; c[j]] + b

    There are log2(stride) stages. The last has `width` channels, each one before it half as many,
    but 16 at least. r and c are the middle of a square from the upper left corner (-1) to the lower
    right (1): without them no square knows where it lies.

    He et al. 2016 (arXiv:1603.05027) for the order inside a block; the norm is over the channels of
    one place (Ba, Kiros & Hinton 2016, arXiv:1607.06450), so a picture does not depend on those in
    its batch. Liu et al. 2018 (arXiv:1807.03247) for the coordinates. What lies outside of a
    picture is zero in every layer, be it its edge or the padding of a batch.

    One square sees `reach` pixels each way: 22 with stride 4 and depth 1.
    """

    raw: ClassVar[str] = "picture"

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        width: int = 64,
        depth: int = 1,
        stride: int = 4,
        residual: bool = True,
    ) -> None:
        super().__init__(size, dim)
        _check(width, depth, stride)
        self.stride, self.depth = stride, depth
        n_stages = int(log2(stride))
        widths = [max(width >> i, min(_NARROWEST, width)) for i in reversed(range(n_stages))]
        inputs = [size, *widths]
        self.stages = nn.ModuleList(
            _Stage(before, after, depth, residual=residual)
            for before, after in zip(inputs, widths, strict=False)
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, dim)
        self.places = nn.Linear(2, dim, bias=False)

    @property
    def reach(self) -> int:
        """Pixels that a square's vector depends on, each way."""
        seen, step = 1, 1
        for _ in self.stages:
            seen += 3 * step + 2 * self.depth * 2 * step
            step *= 2
        return seen

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the squares of a picture `[H, W, C]`, down and across."""
        height, width = shape[:2]
        return -(-height // self.stride), -(-width // self.stride)

    def forward(self, source: Padded) -> Padded:
        """Read pixels `[B, H, W, C]` from 0 to 255; return `[B, H' W', D]`, row by row.

        Where pictures differ in size the squares of each stand first, row by row of its own grid.
        """
        mask = source.mask  # [B, H, W]
        x = (source.values.to(self.output.weight.dtype) / 127.5 - 1) * mask[..., None]
        for stage in self.stages:
            x, mask = cast("tuple[Tensor, Tensor]", stage(x, mask))  # [B, H/2, W/2, ...]
        vectors = self.output(self.norm(x)) + self.places(coordinates(mask).to(x))
        return Padded(vectors, mask).flat()  # [B, H' W', D]


class _Stage(nn.Module):
    """Halves both sides, then adds to what it has, or puts something else in its place."""

    def __init__(self, before: int, after: int, depth: int, *, residual: bool) -> None:
        super().__init__()
        self.D = nn.Conv2d(before, after, 4, stride=2)
        self.blocks = nn.ModuleList(_Block(after, residual=residual) for _ in range(depth))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[B, H, W, C]`, zero where `mask [B, H, W]` is not set; return both at half size."""
        height, width = mask.shape[1:]
        around = pad(x, (0, 0, 1, 1 + width % 2, 1, 1 + height % 2))
        x = _last(self.D(_first(around)))
        mask = mask[:, ::2, ::2]
        for block in self.blocks:
            x = block(x, mask[..., None])
        return x * mask[..., None], mask


class _Block(nn.Module):
    """What a small network makes of a place and its eight neighbours, added if `residual`."""

    def __init__(self, dim: int, *, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        self.norm = nn.LayerNorm(dim)
        self.U = nn.Conv2d(dim, dim, 3, padding=1)
        self.V = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read `[B, H, W, D]`; `mask [B, H, W, 1]` says what is inside."""
        y = _last(self.V(relu(self.U(_first(self.norm(x) * mask)))))
        return x + y if self.residual else y


def _first(x: Tensor) -> Tensor:
    """Put channels first, as torch's convolutions want them: `[B, C, H, W]`."""
    return x.permute(0, 3, 1, 2)


def _last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1)  # [B, H, W, C]


def _check(width: int, depth: int, stride: int) -> None:
    if width < 1 or depth < 0:
        raise ShapeError(
            f"embedder cnn: width is {width} and depth {depth}; expected a width from 1 and a depth"
            " from 0 on. Change them."
        )
    if stride < 2 or stride & (stride - 1):
        raise ShapeError(
            f"embedder cnn: stride is {stride}; each stage halves the picture, so expected 2, 4, 8"
            " or a higher power of 2. Change it."
        )
