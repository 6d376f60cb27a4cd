"""Rotary positions."""

import math

import torch
from torch import Tensor

from saccade.errors import ShapeError
from saccade.positions.base import Heads, Places, Positions, needed


class Rotary(Positions):
    """Rotates queries and keys by an angle that grows with the place, so scores see distances.

        (z[i] + j z[i + d/2]) e^(j t theta[i]),    theta[i] = base^(-2 i / d),    i = 0 ... d/2 - 1

    for every query and key z of width d at place t. The score of a query at t and a key at s then
    depends on t - s alone. Su et al. 2021 (arXiv:2104.09864), section 3.2; they pair neighbouring
    numbers, 2i and 2i+1, which is the same but for the order of the weights' rows. Nothing is added
    to the vectors, there are no parameters and no longest sentence.

    base: the longest wave turns once in about 2 pi base places.  across: rotate a decoder's
    attention over its memory too, so that its scores see how far place t of the target is from
    place s of the source. It suits pairs that go side by side, as letters and phones do; without it
    no attention over a memory sees places.
    """

    def __init__(
        self, dim: int, heads: Heads | None, *, base: float = 10000.0, across: bool = False
    ) -> None:
        super().__init__(dim, heads)
        self.across = across
        self.width = needed(heads, "rotary").width
        self.base = base
        if self.width % 2:
            raise ShapeError(
                f"positions rotary: a head has keys of width {self.width}, but they are rotated in"
                " pairs; the width must be even. Change heads or key_width of the attention."
            )
        if base <= 1:
            raise ShapeError(
                f"positions rotary: base {base:g} is not above 1; expected about how many places a"
                " sequence may have, or more. Raise it."
            )

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Return `x`: nothing is added."""
        return x

    def inside(self, n: int, past: int, like: Tensor) -> Places:
        """Rotate the queries and keys of the `n` places."""
        pairs = torch.arange(self.width // 2, dtype=torch.float32, device=like.device)  # [d / 2]
        theta = torch.exp(-2 * math.log(self.base) / self.width * pairs)  # [d / 2]
        t = torch.arange(past, past + n, dtype=torch.float32, device=like.device)  # [T]
        angle = t[:, None] * theta  # [T, d / 2]
        cos, sin = angle.cos(), angle.sin()
        turn = torch.stack([torch.cat([cos, cos], dim=1), torch.cat([-sin, sin], dim=1)])
        return Places(turn=turn.to(like.dtype))  # [2, T, d]
