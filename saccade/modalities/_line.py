"""Lines of print: made grey and one height, and changed by chance for training."""

import random
from dataclasses import dataclass

import numpy as np

from saccade.errors import DataError, RecipeError
from saccade.modalities._png import Pixels

WIDEST = 8192
"""Columns of any line, once it has its height."""


def as_line(pixels: Pixels, height: int, where: str = "picture") -> Pixels:
    """Make a picture `[H, W, 3]` grey and `height` pixels high: `[height, W', 3]`.

    By Pillow's weights of red, green and blue, and by its bicubic filter. A line that is grey and
    as high already stays as it is.

    >>> as_line(np.zeros((4, 6, 3), np.uint8), 8).shape
    (8, 12, 3)
    """
    from PIL import Image  # noqa: PLC0415 - takes a while

    tall, wide = pixels.shape[:2]
    width = max(round(wide * height / tall), 1)
    if width > WIDEST:
        raise DataError(
            f"{where}: the line has {wide:,} x {tall:,} pixels, so it would be {width:,} wide at"
            f" a height of {height}; expected at most {WIDEST:,}. Is it turned by 90 degrees, or"
            " empty? Cut it, or leave it out."
        )
    grey = Image.fromarray(np.ascontiguousarray(pixels)).convert("L")
    if tall != height:
        grey = grey.resize((width, height), Image.Resampling.BICUBIC)
    return np.repeat(np.asarray(grey)[:, :, None], 3, axis=2)


@dataclass(frozen=True, slots=True)
class LineAugmentation:
    """How far a line of print may be changed; it keeps its height.

    With u and v drawn from [-1, 1], w and z from [0, 1], anew for every line,

        x' = x / (1 + stretch u) + shear v (y - H / 2)     where a pixel of the new line comes from
        y' = (y - z (H - h)) / (h / H),   h = H (1 - scale w)

    and then a Gaussian blur with a standard deviation of up to `blur` pixels. What comes from
    outside is paper: the median of the line.
    """

    shear: float = 0.0
    scale: float = 0.0
    stretch: float = 0.0
    blur: float = 0.0

    def check(self) -> None:
        """Refuse what is no share, and a blur in which no letter is left."""
        shares = {"shear": self.shear, "scale": self.scale, "stretch": self.stretch}
        for name, share in shares.items():
            if not 0 <= share < 1:
                raise RecipeError(
                    f"line.random_{name}: found {share:g}; expected a share from 0 on and below 1."
                    " Change it."
                )
        if not 0 <= self.blur <= 8:
            raise RecipeError(
                f"line.random_blur: found {self.blur:g}; expected 0 to 8 pixels. Change it."
            )

    @property
    def active(self) -> bool:
        """Whether anything is changed at all."""
        return bool(self.shear or self.scale or self.stretch or self.blur)

    def apply(self, line: Pixels, chance: random.Random) -> Pixels:
        """Change a line `[H, W]`; its width changes with `stretch`."""
        from PIL import Image, ImageFilter  # noqa: PLC0415 - takes a while

        u, v = (chance.uniform(-1, 1) for _ in "uv")
        w, z, b = (chance.random() for _ in "wzb")
        height, width = line.shape
        wider, slant, share = 1 + self.stretch * u, self.shear * v, 1 - self.scale * w
        found = Image.fromarray(np.ascontiguousarray(line))
        if self.shear or self.scale or self.stretch:
            above = z * height * (1 - share)
            across = (1 / wider, slant, -slant * height / 2)
            down = (0.0, 1 / share, -above / share)
            found = found.transform(
                (max(round(width * wider), 1), height),
                Image.Transform.AFFINE,
                (*across, *down),
                Image.Resampling.BILINEAR,
                fillcolor=int(np.median(line)),
            )
        if self.blur:
            found = found.filter(ImageFilter.GaussianBlur(self.blur * b))
        return np.asarray(found)
