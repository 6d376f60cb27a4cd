"""Places of a picture in a grid: where each lies, and the last layer that makes vectors of them."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from saccade.flow import Padded


def coordinates(mask: Tensor) -> Tensor:
    """Return the middle of every place of a grid, from -1 to 1 within each picture.

    >>> coordinates(torch.ones(1, 1, 2).bool()).tolist()
    [[[[0.0, -0.5], [0.0, 0.5]]]]
    """
    B, height, width = mask.shape
    n_rows, n_columns = extents(mask)  # [B]
    r = _middles(height, n_rows)[:, :, None].expand(B, height, width)
    c = _middles(width, n_columns)[:, None].expand(B, height, width)
    return torch.stack([r, c], dim=3)  # [B, H', W', 2]


def extents(mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many rows and columns of `mask [B, H, W]` each picture has, `[B]` and `[B]`."""
    return mask.any(dim=2).sum(dim=1), mask.any(dim=1).sum(dim=1)


def _middles(n: int, own: Tensor) -> Tensor:
    places = torch.arange(n, device=own.device) + 0.5
    return 2 * places / own.clamp(min=1)[:, None] - 1  # [B, n]


class GridProjection(nn.Module):
    """Maps the features of every place of a grid to a vector.

        x[i, j] = relu(W f[i, j] + b)
        x[i, j] = relu(W f[i, j] + C [r[i]; c[j]] + b)          with `places`

    r and c are the middle of a place from the upper left corner (-1) to the lower right (1).

    Args:
        channels: numbers of a place, `[C]`.
        dim: width of the vectors.
        places: whether a vector knows where it lies.
    """

    def __init__(self, channels: int, dim: int, *, places: bool = False) -> None:
        super().__init__()
        self.W = nn.Linear(channels, dim)
        self.C = nn.Linear(2, dim, bias=False) if places else None

    def forward(self, source: Padded) -> Padded:
        """Map grids `[B, H', W', C]` to vectors `[B, H' W', D]`, row by row, real places first."""
        x = cast("Tensor", self.W(source.values.to(self.W.weight.dtype)))
        if self.C is not None:
            x = x + self.C(coordinates(source.mask).to(x))
        return Padded(relu(x), source.mask).flat()
