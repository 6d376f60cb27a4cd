"""Convolutions over time and frequency that make a sound shorter."""

from itertools import pairwise
from math import log2
from typing import ClassVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.layers.dropout import Dropout

_MOST = 64  # frames that become one


class SpectrogramEmbedder(Embedder):
    """Gives a vector for every `stride` frames of a sound.

        stage:   x = relu(D x)                      every second frame and band, kernel 3 x 3
        output:  h[t] = norm(W [x[t, 1]; x[t, 2]; ...] + b)       all bands of a frame in one vector

    There are log2(stride) stages of `width` channels. Dong, Xu & Xu 2018, "Speech-Transformer",
    section 3.2, and after it most encoders of speech, with two stages. What lies outside of a sound
    is zero in every layer, be it its end or the padding of a batch.
    """

    raw: ClassVar[str] = "sound"

    def __init__(
        self, size: int, dim: int, *, width: int = 32, stride: int = 4, dropout: float = 0.0
    ) -> None:
        super().__init__(size, dim)
        if width < 1 or not 1 <= stride <= _MOST or stride & (stride - 1):
            raise ShapeError(
                f"embedder spectrogram: width is {width} and stride {stride}; expected a width from"
                f" 1 on and a stride of 1, 2, 4 or a higher power of 2 up to {_MOST}. Change them."
            )
        self.stride = stride
        channels = [1, *[width] * int(log2(stride))]
        self.stages = nn.ModuleList(
            nn.Conv2d(before, after, 3, stride=2, padding=1) for before, after in pairwise(channels)
        )
        self.output = nn.Linear(channels[-1] * -(-size // stride), dim)
        self.norm = nn.LayerNorm(dim)
        self.dropout = Dropout(dropout)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return one row of as many places as a sound `[T, F]` has strides."""
        return 1, -(-shape[0] // self.stride)

    def forward(self, source: Padded) -> Padded:
        """Read features `[B, T, F]`; return `[B, T', D]`."""
        mask = source.mask
        x = (source.values.to(self.output.weight.dtype) * mask[:, :, None])[:, None]  # [B, 1, T, F]
        x = x.contiguous(memory_format=torch.channels_last)
        for stage in self.stages:
            mask = mask[:, ::2]
            x = relu(cast("Tensor", stage(x))) * mask[:, None, :, None]  # [B, C, T/2, F/2]
        joined = x.permute(0, 2, 3, 1).flatten(2)  # [B, T', F' C]
        return Padded(self.dropout(self.norm(self.output(joined))), mask)
