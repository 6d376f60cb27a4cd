"""VGG-16: the picture network of the first captioners with attention."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, max_pool2d, relu

from saccade.embedders._pretrained import read_safetensors
from saccade.embedders._trunk import CHANNELS, Trunk, TrunkEmbedder
from saccade.errors import ShapeError

_MEAN = (123.68, 116.779, 103.939)  # red, green, blue over ImageNet's training set
_ROWS = ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8))  # layers, and how many times `width` channels


class Vgg(Trunk):
    """The thirteen convolutions of VGG-16: 16 x 16 pixels become 512 features.

        x = p - mean
        row 1 to 5:  x = relu(W x + b)        3 x 3, two or three times
                     x = max of 2 x 2         between rows
        f = x                                 after conv5_3, before the last pooling

    Simonyan & Zisserman 2015 (arXiv:1409.1556), table 1, configuration D. Xu et al. 2015
    (arXiv:1502.03044), section 4.3, look at its 14 x 14 x 512 features of 224 x 224 pixels. Where a
    side is odd the last row or column is pooled by itself.

    Args:
        width: channels of the first row: 64 in the paper.
        weights: a safetensors file with `conv1_1.weight [64, 3, 3, 3]`, `conv1_1.bias [64]`,
            `conv1_2.weight`, ..., `conv5_3.bias`, for red, green and blue from 0 to 255 without
            the mean; tensors of other names are not read. Without a file they are drawn.
    """

    stride = 16

    def __init__(self, *, width: int = 64, weights: str = "") -> None:
        super().__init__()
        if width < 1:
            raise ShapeError(f"vgg: width is {width}; expected 1 or more channels. Change it.")
        self.weights, self.channels = weights, width * _ROWS[-1][1]
        self._pooled = list[str]()  # layers before which there is pooling
        before = CHANNELS
        for row, (n_layers, wider) in enumerate(_ROWS, start=1):
            for n in range(1, n_layers + 1):
                self.add_module(f"conv{row}_{n}", _Layer(before, width * wider))
                before = width * wider
            if row > 1:
                self._pooled.append(f"conv{row}_1")

    @property
    def stages(self) -> Sequence[nn.Module]:
        """All layers, conv1_1 first."""
        return list(self.children())

    def forward(self, pixels: Tensor) -> Tensor:
        """Read pixels `[B, H, W, 3]` from 0 to 255; return `[B, H / 16, W / 16, 512]`."""
        x = pixels - pixels.new_tensor(_MEAN)
        x = x.permute(0, 3, 1, 2)  # channels stay last in memory
        for name, layer in self.named_children():
            if name in self._pooled:
                x = max_pool2d(x, 2, ceil_mode=True)
            x = layer(x)
        return x.permute(0, 2, 3, 1)

    def trained(self) -> Mapping[str, Tensor]:
        """Read the file."""
        if not self.weights:
            return {}
        shapes = {name: weight.shape for name, weight in self.named_parameters()}
        return read_safetensors(Path(self.weights), shapes, "vgg")


class VggEmbedder(TrunkEmbedder):
    """VGG-16 as the first layer of a model, held fixed or trained along.

        x[i, j] = relu(W f[i, j] + b),    f = features of 16 x 16 pixels

    `train` is how many of its thirteen layers learn, from the last on. See `Vgg`.
    """

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        width: int = 64,
        weights: str = "",
        train: int = 0,
        places: bool = False,
    ) -> None:
        super().__init__(size, dim, Vgg(width=width, weights=weights), train=train, places=places)


class _Layer(nn.Module):
    """A convolution of 3 x 3 and a ReLU."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(after, before, 3, 3))
        self.bias = nn.Parameter(torch.zeros(after))
        nn.init.kaiming_normal_(self.weight, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """Read `[B, C, H, W]`; return `[B, C', H, W]`."""
        return relu(conv2d(x, self.weight, self.bias, padding=1))
