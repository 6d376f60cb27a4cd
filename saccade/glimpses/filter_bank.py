"""Gaussian filter banks: a patch of any size and sharpness, with a gradient."""

from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.glimpses.base import Glimpse, Pictures, sizes_of

_MOST = 64  # filters each way
_TINY = 1e-8


class FilterBank(Glimpse):
    """A grid of `size` x `size` Gaussian filters, laid over the picture where five numbers say.

        g_y = (H + 1) / 2 (w1 + 1)      g_x = (W + 1) / 2 (w2 + 1)             the middle
        d = (max(H, W) - 1) / (N - 1) exp(w3)                                  the stride
        s^2 = blur^2 exp(w4)        a = exp(w5)                                width, brightness
        m[i] = g + (i - N / 2 - 1/2) d                                         i = 1 .. N
        F[i, p] = exp(-(p - m[i])^2 / 2 s^2) / Z[i],   sum_p F[i, p] = 1       p = 1 .. H or W
        read(x) = a F_y x F_x^T              write(w) = 1 / a F_y^T w F_x

    Gregor et al. 2015 (arXiv:1502.04623), equations 19 to 29. All of it has a gradient, so where to
    look is learned with the rest. They have `blur` 1. On a large picture the first grid then reads
    a few points and nothing between; a `blur` of half a stride reads all of it.
    """

    hard: ClassVar[bool] = False

    def __init__(self, channels: int, *, size: int = 5, blur: float = 1.0) -> None:
        super().__init__(channels)
        if not 2 <= size <= _MOST:
            raise RecipeError(
                f"filter_bank.size: found {size}; expected 2 to {_MOST} filters each way. Change"
                " it."
            )
        if not 0 < blur <= _MOST:
            raise RecipeError(
                f"filter_bank.blur: found {blur:g}; expected pixels above 0, up to {_MOST}. Change"
                " it."
            )
        self.size = size
        self.blur = blur
        self.where_dim = 5
        self.shape = (1, channels, size, size)

    def prepare(self, pictures: Pictures) -> Pictures:
        """Leave them as they are: all depends on the place."""
        return pictures

    def forward(self, pictures: Pictures, where: Tensor) -> Tensor:
        """Read a patch `[B, C size size]` where five numbers say."""
        down, across = self.filters(pictures.sizes, where, pictures.pixels.shape[2:])
        patch = down[:, None] @ pictures.pixels @ across[:, None].transpose(2, 3)  # [B, C, N, N]
        return (where[:, 4].exp()[:, None, None, None] * patch).flatten(1)

    def write(self, patch: Tensor, where: Tensor, shape: tuple[int, int]) -> Tensor:
        """Lay a patch `[B, N, N]` on an empty canvas `[B, H, W]`, as `forward` would find it."""
        sizes = torch.tensor(shape, device=patch.device).expand(len(patch), -1)
        down, across = self.filters(sizes, where, shape)
        return (down.transpose(1, 2) @ patch @ across) / where[:, 4].exp()[:, None, None]

    def filters(
        self, sizes: Tensor, where: Tensor, shape: tuple[int, ...] | torch.Size
    ) -> tuple[Tensor, Tensor]:
        """Return the filters down and across, `[B, N, H]` and `[B, N, W]`."""
        stride = (sizes.amax(dim=1) - 1) / (self.size - 1) * where[:, 2].exp()  # [B]
        steps = torch.arange(1, self.size + 1, device=where.device) - self.size / 2 - 0.5  # [N]
        middles = (sizes + 1) / 2 * (where[:, :2] + 1)  # [B, 2]
        centres = middles[:, :, None] + steps * stride[:, None, None]  # [B, 2, N]
        place = torch.arange(1, max(shape) + 1, device=where.device)  # [P]
        sharpness = -0.5 / self.blur**2 * (-where[:, 3]).exp()[:, None, None, None]
        bells = torch.exp((place - centres[..., None]).square() * sharpness)  # [B, 2, N, P]
        bells = bells * (place <= sizes[:, :, None])[:, :, None]
        found = bells / (bells.sum(dim=3, keepdim=True) + _TINY)
        return found[:, 0, :, : shape[0]], found[:, 1, :, : shape[1]]

    def window(self, mask: Tensor, where: Tensor) -> Tensor:
        """Return the mean of all filters of the grid."""
        down, across = self.filters(sizes_of(mask), where, mask.shape[1:])
        return down.mean(dim=1)[:, :, None] * across.mean(dim=1)[:, None] * mask

    def boxes(self, sizes: Tensor, where: Tensor) -> Tensor:
        """Return the square between the first and the last filters, half a stride around."""
        half = (sizes.amax(dim=1) - 1) / (self.size - 1) * where[:, 2].exp() * self.size / 2  # [B]
        middle = (sizes + 1) / 2 * (where[:, :2] + 1) - 0.5  # [B, 2]
        return torch.cat([middle - half[:, None], middle + half[:, None]], dim=1)[:, None]
