"""Positions put together with what stands there in another way than by a sum."""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.positions.base import Heads, Positions


class Merged(Positions):
    """Merges the vector p[t] of a place and that of what stands there.

        concatenation   W [x[t]; p[t]] + b
        average         (x[t] + p[t]) / 2
        sum             x[t] + p[t]

    A fusion of two features, as of any two. The layers of a Transformer add to their input, so its
    width must stay: W maps the two halves back to D, and `concatenation` is a sum in which both
    have a learned matrix. `positions` are any that add vectors; p is what they make of zeros.
    """

    adds: ClassVar[bool] = False

    def __init__(
        self,
        dim: int,
        heads: Heads | None,
        *,
        merge: Literal["concatenation", "average", "sum"] = "concatenation",
        positions: Part[Positions] = Part(Positions, "sinusoidal"),
    ) -> None:
        super().__init__(dim, heads)
        self.merge = merge
        self.inner = positions.build(dim, heads)
        if not self.inner.adds or self.inner.inside(1, 0, torch.zeros(1)) is not None:
            raise RecipeError(
                f"merged.positions: {positions.kind} adds no vector to that of a place, so there is"
                " nothing to merge; expected sinusoidal or learned. Use it without merged."
            )
        self.most = self.inner.most
        self.W = nn.Linear(2 * dim, dim) if merge == "concatenation" else None

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Merge."""
        p: Tensor = self.inner(torch.zeros_like(x[:1]), first).expand_as(x)  # [B, T, D]
        if self.W is not None:
            return self.W(torch.cat([x, p], dim=2))  # type: ignore[no-any-return]  # [B, T, D]
        return (x + p) / (2 if self.merge == "average" else 1)  # [B, T, D]
