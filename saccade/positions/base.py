"""What positions are: what a model that reads all places at once is told of their order.

There are two doors. By `forward`, positions are added to the vectors of the places. By `inside`,
they act in every layer of self-attention, on queries, keys and scores; most leave that door shut.
"""

from abc import ABC, abstractmethod
from math import sqrt
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.errors import ShapeError


class Heads(NamedTuple):
    """The heads of the self-attention that a host has: how many, and how wide their keys are."""

    n: int
    width: int


class Places(NamedTuple):
    """What positions do inside self-attention with T queries over S keys, alike in every layer.

    The T places are the last of the S.  turn: `[2, T, d]`, the cosines and sines that queries and
    keys are rotated by.  near: `[T, S, d]`, what queries see of a key's distance.
    """

    turn: Tensor | None = None
    near: Tensor | None = None

    def rotate(self, x: Tensor) -> Tensor:
        """Rotate queries or keys of the T places, `[B, H, T, d]`."""
        if self.turn is None:
            return x
        cos, sin = self.turn[0], self.turn[1]  # [T, d]
        one, other = x.chunk(2, dim=-1)
        return x * cos + torch.cat([other, one], dim=-1) * sin

    def bias(self, query: Tensor) -> Tensor | None:
        """Return what is added to the scores of queries `[B, H, T, d]`, `[B, H, T, S]`; or None."""
        if self.near is None:
            return None
        B, H, T, d = query.shape
        by_place = query.permute(2, 0, 1, 3).reshape(T, B * H, d)  # [T, B H, d]
        scores = by_place @ self.near.transpose(1, 2).to(query.dtype)  # [T, B H, S]
        return scores.view(T, B, H, -1).permute(1, 2, 0, 3) / sqrt(d)  # [B, H, T, S]


class Positions(nn.Module, ABC):
    """Tells places apart. A part's constructor takes the width and the heads from the host.

    `heads` is None where the host has no self-attention that positions can act in. There are `most`
    places, or as many as anybody asks for if that is None.
    """

    most: int | None = None
    across: bool = False
    """Whether `inside` is for a decoder's attention over its memory too."""
    adds: ClassVar[bool] = True  # False if what `forward` changes depends on more than the place
    biased: ClassVar[bool] = False  # True if `inside` gives something to add to scores

    def __init__(self, dim: int, heads: Heads | None) -> None:
        super().__init__()
        self.dim = dim

    @abstractmethod
    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Mark `x [B, T, D]`, whose places are `first`, `first + 1`, ..."""

    def inside(self, n: int, past: int, like: Tensor) -> Places | None:
        """Return what to do in self-attention of `n` places behind `past` others; None: nothing.

        The tensors are such as `like`, on its device.
        """
        return None


def needed(heads: Heads | None, kind: str) -> Heads:
    """Return the heads of a host, or refuse one that has none."""
    if heads is None:
        raise ShapeError(
            f"positions {kind}: they act on the queries and keys of self-attention, but this part"
            " has none of the kind multihead. Use them in a transformer with attention multihead,"
            " or use positions sinusoidal."
        )
    return heads
