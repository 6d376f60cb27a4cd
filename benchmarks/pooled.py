"""A network that is no network: the mean colour of every square, mapped to many channels.

It stands for a real one where only the way of pictures to the store is measured.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from torch import Tensor, nn

from saccade.embedders._trunk import CHANNELS, Trunk


class Pooled(Trunk):
    """The mean of squares of 32 x 32 pixels as `channels` numbers, by a matrix that is drawn."""

    stride: ClassVar[int] = 32

    def __init__(self, *, channels: int = 1280) -> None:
        super().__init__()
        self.channels = channels
        self.pool, self.W = nn.AvgPool2d(self.stride), nn.Linear(CHANNELS, channels)

    @property
    def stages(self) -> Sequence[nn.Module]:
        """The matrix."""
        return [self.W]

    def forward(self, pixels: Tensor) -> Tensor:
        """Read pixels `[B, H, W, 3]`; return `[B, H / 32, W / 32, C]`."""
        means = self.pool(pixels.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)  # [B, H', W', 3]
        found: Tensor = self.W(means / 127.5 - 1)
        return found

    def trained(self) -> Mapping[str, Tensor]:
        """Draw them."""
        return {}
