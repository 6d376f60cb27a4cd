"""What a glimpse is: a picture and where to look in, numbers of fixed size out."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.flow import Padded


class Pictures(NamedTuple):
    """Pictures of a batch: pixels `[B, C, H, W]` from 0 to 1, and their own sizes `[B, 2]`.

    A size is height, then width. Behind them pixels are zero.  coarse: what a glimpse has computed
    of them for all places at once, if it has.
    """

    pixels: Tensor
    sizes: Tensor
    coarse: tuple[Tensor, ...] = ()


class Glimpse(nn.Module, ABC):
    """Sees a part of a picture. The host gives the number of channels.

    where_dim: how many numbers say where to look.  shape: of what is seen: patches, channels, rows
    and columns.
    """

    hard: ClassVar[bool]  # True if no gradient goes from what is seen to where
    where_dim: int
    shape: tuple[int, int, int, int]

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels

    @property
    def glimpse_dim(self) -> int:
        """How many numbers are seen."""
        return math.prod(self.shape)

    @abstractmethod
    def prepare(self, pictures: Pictures) -> Pictures:
        """Compute what does not depend on the place, before many glimpses of the same pictures."""

    @abstractmethod
    def forward(self, pictures: Pictures, where: Tensor) -> Tensor:
        """Look at `where [B, where_dim]`; return what is seen, `[B, glimpse_dim]`.

        Places go from -1, at the upper or left edge of a row's own picture, to 1, at the other
        edge. What lies outside of a picture is zero.
        """

    @abstractmethod
    def window(self, mask: Tensor, where: Tensor) -> Tensor:
        """Return how much of each pixel was seen, `[B, H, W]`, of pictures with `mask [B, H, W]`.

        It sums to one, or to less where a glimpse goes beyond the picture.
        """

    @abstractmethod
    def boxes(self, sizes: Tensor, where: Tensor) -> Tensor:
        """Return what each scale sees as top, left, bottom, right in pixels, `[B, scales, 4]`."""


def pictures_of(source: Padded, dtype: torch.dtype) -> Pictures:
    """Scale pixels `[B, H, W, C]` from 0 to 255 to between 0 and 1, channels first."""
    pixels = (source.values.to(dtype) / 255) * source.mask[..., None]
    return Pictures(pixels.permute(0, 3, 1, 2), sizes_of(source.mask))


def sizes_of(mask: Tensor) -> Tensor:
    """Return height and width of each picture of `mask [B, H, W]`: `[B, 2]`."""
    height, width = mask.any(dim=2).sum(dim=1), mask.any(dim=1).sum(dim=1)
    return torch.stack([height, width], dim=1)
