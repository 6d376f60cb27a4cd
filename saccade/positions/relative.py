"""Relative positions."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.errors import ShapeError
from saccade.positions.base import Heads, Places, Positions, needed


class Relative(Positions):
    """Adds a learned vector for the distance to every key that a query sees.

        e[t, s] = q[t] . (k[s] + a[clip(s - t, -reach, reach)]) / sqrt(d)

    Shaw et al. 2018 (arXiv:1803.02155), section 3.2, on the keys alone: their table 3 shows no gain
    from vectors on the values too. The heads share the vectors, as there; here the layers do too.
    The score of a query at t and a key at s depends on s - t. Nothing is added to the vectors of
    the places, and there is no longest sentence. Attention over the memory of an encoder sees no
    distances: its places are those of another sequence.

    reach: the farthest distance that is told from farther ones.
    """

    biased: ClassVar[bool] = True

    def __init__(self, dim: int, heads: Heads | None, *, reach: int = 16) -> None:
        super().__init__(dim, heads)
        if reach < 1:
            raise ShapeError(
                f"positions relative: reach {reach} is below 1; expected the farthest distance that"
                " is told from farther ones. Raise it."
            )
        self.reach = reach
        self.a = nn.Parameter(torch.empty(2 * reach + 1, needed(heads, "relative").width))
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Return `x`: nothing is added."""
        return x

    def inside(self, n: int, past: int, like: Tensor) -> Places:
        """Look the vectors of all distances up."""
        t = torch.arange(past, past + n, device=like.device)  # [T]
        s = torch.arange(past + n, device=like.device)  # [S]
        distance = (s - t[:, None]).clamp(-self.reach, self.reach)  # [T, S]
        return Places(near=self.a[distance + self.reach])  # [T, S, d]
