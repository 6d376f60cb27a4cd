"""Changes to strokes of a pen that leave what they say as it is."""

import random
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError

_MOST = 0.5


@dataclass(frozen=True, slots=True)
class StrokeAugmentation:
    """By how much strokes are changed, drawn anew for each.

    x' = a b x + a c y      y' = a y        a = 1 ± scale, b = 1 ± stretch, c = ± shear
    """

    random_scale: float = 0.0
    random_stretch: float = 0.0
    random_shear: float = 0.0

    def check(self) -> None:
        """Refuse shares that would leave nothing to read."""
        for field in fields(self):
            share = getattr(self, field.name)
            if not 0 <= share <= _MOST:
                raise RecipeError(
                    f"strokes.{field.name}: found {share:g}; expected 0 to {_MOST:g}. Change it."
                )

    @property
    def active(self) -> bool:
        """Whether anything is changed."""
        return any((self.random_scale, self.random_stretch, self.random_shear))

    def apply(self, moves: NDArray[np.float32], chance: random.Random) -> NDArray[np.float32]:
        """Return moves `[T, 3]` in another hand."""
        scale = 1 + self.random_scale * chance.uniform(-1, 1)
        stretch = 1 + self.random_stretch * chance.uniform(-1, 1)
        shear = self.random_shear * chance.uniform(-1, 1)
        turned = moves.copy()
        turned[:, 0] = scale * (stretch * moves[:, 0] + shear * moves[:, 1])
        turned[:, 1] = scale * moves[:, 1]
        return turned
