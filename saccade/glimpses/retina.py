"""The retina: sharp in the middle, coarser around it."""

from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.errors import RecipeError
from saccade.glimpses.base import Glimpse, Pictures, sizes_of

_MOST = 64  # pixels of a patch each way


class Retina(Glimpse):
    """Squares around one place, each twice as large as the one before, all of `size` x `size`.

        c = size / 2 + (l + 1) / 2 * ((height, width) - size)         the middle, in pixels
        patch[k] = mean over squares of 2^k x 2^k pixels of a square of size 2^k around c

    Mnih et al. 2014 (arXiv:1406.6247), section 3 A, who let the middle go to the very edge; here
    the smallest square stays inside, as nothing is to be seen beyond. It is rounded to pixels, so
    no gradient reaches where it looked. `prepare` takes the means around every pixel once, so that
    all scales cost a glimpse the same.
    """

    hard: ClassVar[bool] = True

    def __init__(self, channels: int, *, size: int = 8, scales: int = 1) -> None:
        super().__init__(channels)
        if not 1 <= size <= _MOST or not 1 <= scales <= 5:
            raise RecipeError(
                f"retina: size is {size} and scales {scales}; expected 1 to {_MOST} pixels and 1 to"
                " 5 scales. Change them."
            )
        self.size, self.scales = size, scales
        self.where_dim = 2
        self.shape = (scales, channels, size, size)

    def prepare(self, pictures: Pictures) -> Pictures:
        """Take the means of all squares of 1, 2, 4, ... pixels each way."""
        coarse = tuple(_means(pictures.pixels, k) for k in range(self.scales))
        return pictures._replace(coarse=coarse)

    def forward(self, pictures: Pictures, where: Tensor) -> Tensor:
        """Look at `where [B, 2]`, down and across; return `[B, scales x C x size x size]`."""
        first = self._corners(pictures.sizes, where)  # [B, scales, 2]
        levels = pictures.coarse or self.prepare(pictures).coarse
        steps = torch.arange(self.size, device=where.device)
        seen = []
        for k, level in enumerate(levels):
            lines = first[:, k, :, None] + (1 << k) + (steps << k)  # [B, 2, G]
            seen.append(_cut(level, lines))  # [B, C, G, G]
        return torch.stack(seen, dim=1).flatten(1)

    def window(self, mask: Tensor, where: Tensor) -> Tensor:
        """Share each scale's part out evenly over the pixels of its square."""
        height, width = mask.shape[1:]
        rows = torch.arange(height, device=where.device)[:, None]  # [H, 1]
        columns = torch.arange(width, device=where.device)
        top, left, bottom, right = self.boxes(sizes_of(mask), where)[..., None, None].unbind(dim=2)
        inside = (rows >= top) & (rows < bottom) & (columns >= left) & (columns < right)
        area = (bottom - top) * (right - left)  # [B, scales, 1, 1]
        return (inside / area).mean(dim=1) * mask  # [B, H, W]

    def boxes(self, sizes: Tensor, where: Tensor) -> Tensor:
        """Return the square of each scale."""
        first = self._corners(sizes, where)  # [B, scales, 2]
        sides = torch.tensor([self.size << k for k in range(self.scales)], device=where.device)
        return torch.cat([first, first + sides[:, None]], dim=2)

    def _corners(self, sizes: Tensor, where: Tensor) -> Tensor:
        """Return the first row and column of each scale's square, `[B, scales, 2]`."""
        middle = self.size / 2 + (where.detach() + 1) / 2 * (sizes - self.size)  # [B, 2]
        halves = torch.tensor([(self.size << k) / 2 for k in range(self.scales)]).to(middle)
        return torch.round(middle[:, None] - halves[:, None]).long()


def _means(pixels: Tensor, k: int) -> Tensor:
    """Return the mean of every square of 2^k pixels each way, with a line of zeros all around.

    `[B, C, H, W]` to `[B, C, H + 2^k + 1, W + 2^k + 1]`. The first square ends before pixel 0, the
    last begins behind the last pixel. What lies outside is zero.
    """
    border = 1 << k
    found = pad(pixels, (border, border, border, border))
    for step in (1 << n for n in range(k)):
        found = (found[:, :, step:] + found[:, :, :-step]) / 2
        found = (found[..., step:] + found[..., :-step]) / 2
    return found


def _cut(level: Tensor, lines: Tensor) -> Tensor:
    """Take the rows `lines[:, 0]` and columns `lines[:, 1]`, `[B, G]`, of `level [B, C, H, W]`.

    Lines that lie outside are those at the edge: zeros. One look-up for all rows and all pixels.
    """
    n_rows, n_channels, height, width = level.shape
    (rows, columns), side = lines.unbind(dim=1), lines.shape[2]
    index = rows.clamp(0, height - 1)[:, :, None] * width + columns.clamp(0, width - 1)[:, None]
    index = index.view(n_rows, 1, -1).expand(-1, n_channels, -1)  # [B, C, G G]
    return level.flatten(2).gather(2, index).view(n_rows, n_channels, side, side)
