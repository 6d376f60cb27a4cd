"""A small convolutional network over a line of print, a vector for every few columns."""

from typing import ClassVar, cast

from torch import Tensor, nn
from torch.nn.functional import pad, relu

from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded

_NARROWEST = 16  # channels of an early stage
_FOLDED = 4  # rows that are left, at most, when they are folded into channels


class ColumnsEmbedder(Embedder):
    """A network that gives a vector for every `stride` columns of a line.

        x[s, f] = 1 - p / 255                       ink; paper is 0, and so is what lies outside
        stage:   x = relu(norm(D x))                kernel 3, every second row and column
                 x = x + V relu(U norm(x))          `depth` times; U has kernel 3, V kernel 1
        output:  h[s] = W [x[s, 1]; ...; x[s, F']] + b

    There are as many stages as it takes until 4 rows are left or fewer; the first log2(stride) of
    them halve the columns too. The last has `width` channels, each one before it half as many, but
    16 at least. The rows that are left are folded into channels (Shi, Bai & Yao 2017,
    arXiv:1507.05717, section 2.1, pool them to one), so height is never averaged away: a comma and
    an apostrophe differ in nothing else. The norm is over the channels of one place, so a line does
    not depend on those in its batch.

    One vector sees `reach` columns: 15 with stride 4 and depth 0.
    """

    raw: ClassVar[str] = "line"

    def __init__(
        self, size: int, dim: int, *, width: int = 64, depth: int = 0, stride: int = 4
    ) -> None:
        super().__init__(size, dim)
        _check(width, depth, stride)
        n_stages, rows = 0, size
        while rows > _FOLDED or 1 << n_stages < stride:
            n_stages, rows = n_stages + 1, -(-rows // 2)
        self.stride, self.depth = stride, depth
        widths = [max(width >> i, min(_NARROWEST, width)) for i in reversed(range(n_stages))]
        inputs = [1, *widths]
        self.stages = nn.ModuleList(
            _LineStage(inputs[i], widths[i], depth, across=2 if 2 << i <= stride else 1)
            for i in range(n_stages)
        )
        self.output = nn.Linear(rows * inputs[-1], dim)

    @property
    def reach(self) -> int:
        """Columns that a vector depends on."""
        seen, step = 1, 1
        for i in range(len(self.stages)):
            seen += 2 * step
            step *= 2 if 2 << i <= self.stride else 1
            seen += 2 * step * self.depth
        return seen

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return one row of as many places as there are vectors."""
        return 1, -(-shape[0] // self.stride)

    def forward(self, source: Padded) -> Padded:
        """Read columns `[B, W, H]` of pixels from 0 to 255; return `[B, W', D]`."""
        mask = source.mask  # [B, W]
        ink = 1 - source.values.to(self.output.weight.dtype) / 255
        x = (ink * mask[..., None])[..., None]  # [B, W, H, 1]
        for stage in self.stages:
            x, mask = cast("tuple[Tensor, Tensor]", stage(x, mask))  # [B, W', H', C]
        return Padded(self.output(x.flatten(2)), mask)


class _LineStage(nn.Module):
    """Halves the rows, and the columns if `across` is 2; then adds to what it has."""

    def __init__(self, before: int, after: int, depth: int, *, across: int) -> None:
        super().__init__()
        self.across = across
        self.D = nn.Conv2d(before, after, 3, stride=(across, 2))
        self.norm = nn.LayerNorm(after)
        self.blocks = nn.ModuleList(_LineBlock(after) for _ in range(depth))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Read `[B, W, H, C]`, zero where `mask [B, W]` is not set."""
        x = _last(self.D(_first(pad(x, (0, 0, 1, 1, 1, 1)))))
        mask = mask[:, :: self.across]
        inside = mask[:, :, None, None]
        x = relu(self.norm(x)) * inside
        for block in self.blocks:
            x = block(x, inside)
        return x, mask


class _LineBlock(nn.Module):
    """Adds what a small network makes of a place and its eight neighbours."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.U = nn.Conv2d(dim, dim, 3, padding=1)
        self.V = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, inside: Tensor) -> Tensor:
        """Read `[B, W, H, D]`; `inside [B, W, 1, 1]` says what is no padding."""
        y = _last(self.V(relu(self.U(_first(self.norm(x) * inside)))))
        return (x + y) * inside


def _first(x: Tensor) -> Tensor:
    """Put channels first, as torch's convolutions want them, and leave them last in memory."""
    return x.permute(0, 3, 1, 2)


def _last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1)  # [B, W, H, C]


def _check(width: int, depth: int, stride: int) -> None:
    if width < 1 or depth < 0:
        raise ShapeError(
            f"embedder columns: width is {width} and depth {depth}; expected a width from 1 and a"
            " depth from 0 on. Change them."
        )
    if stride < 1 or stride & (stride - 1):
        raise ShapeError(
            f"embedder columns: stride is {stride}; each stage halves the columns or leaves them,"
            " so expected 1, 2, 4 or a higher power of 2. Change it."
        )
