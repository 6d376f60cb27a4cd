"""What a glimpse is: a picture and where to look in, numbers of fixed size out."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.flow import Padded


class Pictures(NamedTuple):
    """Pictures of a batch: pixels `[B, C, H, W]` from 0 to 1, and their own sizes `[B, 2]`.

    A size is height, then width. Behind them pixels are zero.
    """

    pixels: Tensor
    sizes: Tensor


class Glimpse(nn.Module, ABC):
    """Sees a part of a picture. The host gives the number of channels.

    where_dim: how many numbers say where to look.  glimpse_dim: how many numbers are seen.
    """

    hard: ClassVar[bool]  # True if no gradient goes from what is seen to where
    where_dim: int
    glimpse_dim: int

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels

    @abstractmethod
    def forward(self, pictures: Pictures, where: Tensor) -> Tensor:
        """Look at `where [B, where_dim]`; return what is seen, `[B, glimpse_dim]`.

        Places go from -1, the upper or left edge of a row's own picture, to 1, the other edge.
        What lies outside of a picture is zero.
        """

    @abstractmethod
    def window(self, pictures: Pictures, where: Tensor) -> Tensor:
        """Return how much of each pixel was seen, `[B, H, W]`; sums to one, or to less outside."""

    @abstractmethod
    def boxes(self, sizes: Tensor, where: Tensor) -> Tensor:
        """Return what each scale sees as top, left, bottom, right in pixels, `[B, scales, 4]`."""


def pictures_of(source: Padded, dtype: torch.dtype) -> Pictures:
    """Scale pixels `[B, H, W, C]` from 0 to 255 to between 0 and 1, channels first."""
    pixels = (source.values.to(dtype) / 255) * source.mask[..., None]
    height, width = source.mask.any(dim=2).sum(dim=1), source.mask.any(dim=1).sum(dim=1)
    return Pictures(pixels.permute(0, 3, 1, 2), torch.stack([height, width], dim=1))
