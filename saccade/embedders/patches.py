"""Squares of a picture as the words of a Transformer."""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.embedders.base import Embedder
from saccade.errors import ShapeError
from saccade.flow import Padded


class PatchEmbedder(Embedder):
    """Cuts a picture into patches of `patch` x `patch` pixels and maps each to a vector.

        x[i, j] = W (2 p[i, j] / 255 - 1) + b + R[i] + C[j]

    p[i, j] are all pixels of a patch in one row, zero after scaling where it reaches beyond the
    picture. Dosovitskiy et al. 2021 (arXiv:2010.11929), section 3.1, who learn one vector for each
    place; here a row has one and a column has one, so that a picture may have any size. The
    encoder is the Transformer; there is no extra place for a class.

    Args:
        size: channels of the picture.
        dim: width of the vectors.
        patch: pixels each way.
        most: rows and columns that have a vector.
    """

    raw: ClassVar[str] = "picture"

    def __init__(self, size: int, dim: int, *, patch: int = 16, most: int = 64) -> None:
        super().__init__(size, dim)
        if patch < 1 or most < 1:
            raise ShapeError(
                f"embedder patches: patch is {patch} and most {most}; expected 1 or more. Change"
                " them."
            )
        self.patch, self.most = patch, most
        self.W = nn.Linear(size * patch * patch, dim)
        self.R = nn.Parameter(torch.randn(most, dim) * 0.02)
        self.C = nn.Parameter(torch.randn(most, dim) * 0.02)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the patches of a picture `[H, W, C]`, down and across."""
        return -(-shape[0] // self.patch), -(-shape[1] // self.patch)

    def forward(self, source: Padded) -> Padded:
        """Read pixels `[B, H, W, C]` from 0 to 255; return `[B, H' W', D]`, row by row."""
        mask = source.mask  # [B, H, W]
        rows, columns = self.grid(tuple(mask.shape[1:]))
        if max(rows, columns) > self.most:
            raise ShapeError(
                f"embedder patches: the picture has {rows} x {columns} patches; expected at most"
                f" {self.most} each way. Raise most or patch, or make pictures smaller."
            )
        x = (source.values.to(self.W.weight.dtype) / 127.5 - 1) * mask[..., None]
        vectors = self.W(self._cut(x)) + self.R[:rows, None] + self.C[:columns]  # [B, H', W', D]
        return Padded(vectors, mask[:, :: self.patch, :: self.patch]).flat()

    def _cut(self, x: Tensor) -> Tensor:
        """Lay the pixels of every patch out in one row: `[B, H', W', patch patch C]`."""
        B, height, width, channels = x.shape
        rows, columns = self.grid((height, width))
        p = self.patch
        x = pad(x, (0, 0, 0, columns * p - width, 0, rows * p - height))
        x = x.view(B, rows, p, columns, p, channels).transpose(2, 3)  # [B, H', W', p, p, C]
        return x.reshape(B, rows, columns, p * p * channels)
