"""Other pictures of the same thing: moved, cut, mirrored, tinted by chance, for training."""

import random
import re
from dataclasses import dataclass

import numpy as np

from saccade.errors import RecipeError
from saccade.modalities._picture import MOST
from saccade.modalities._png import Pixels

_GREY = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # how bright red, green and blue look


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How far a picture may be changed; it keeps its size.

    crop: a window whose sides are at least 1 - crop of the picture's, anywhere in it, is enlarged.
    flip: every second picture is mirrored, left to right, unless a word of its caption begins with
    one of `sided`.  colour: brightness, contrast and saturation are multiplied by up to 1 ± colour.
    shift: the picture is moved by up to so many pixels each way, but only black goes out of it.
    """

    crop: float = 0.0
    flip: bool = False
    colour: float = 0.0
    sided: tuple[str, ...] = ("left", "right")
    shift: int = 0

    def check(self) -> None:
        """Refuse what is no share and no number of pixels."""
        if not 0 <= self.shift <= MOST:
            raise RecipeError(
                f"image.random_shift: found {self.shift}; expected 0 to {MOST} pixels. Change it."
            )
        for name, share in (("random_crop", self.crop), ("random_colour", self.colour)):
            if not 0 <= share < 1:
                raise RecipeError(
                    f"image.{name}: found {share:g}; expected a share from 0 on and below 1."
                    " Change it."
                )

    @property
    def active(self) -> bool:
        """Whether anything is changed at all."""
        return bool(self.crop or self.flip or self.colour or self.shift)

    def apply(self, pixels: Pixels, chance: random.Random, said: str = "") -> Pixels:
        """Change a picture `[H, W, C]` of which `said` tells."""
        if self.shift:
            pixels = _moved(pixels, self.shift, chance)
        if self.crop:
            pixels = _window(pixels, self.crop, chance)
        if self.flips(chance, said):
            pixels = pixels[:, ::-1]
        if self.colour:
            pixels = _tinted(pixels, *(chance.uniform(-self.colour, self.colour) for _ in "bcs"))
        return np.ascontiguousarray(pixels)

    def flips(self, chance: random.Random, said: str = "") -> bool:
        """Tell whether to mirror a picture this time."""
        return self.flip and chance.random() < 0.5 and not self.is_sided(said)

    def is_sided(self, said: str) -> bool:
        """Tell whether a text would be wrong of the mirrored picture.

        >>> [Augmentation().is_sided(text) for text in ("On the left-hand side", "Bright light")]
        [True, False]
        """
        words = re.findall(r"\w+", said.lower())
        return any(word.startswith(side) for word in words for side in self.sided)


def _moved(pixels: Pixels, most: int, chance: random.Random) -> Pixels:
    """Move all that is not black, and no part of it out of the picture."""
    parts, begins = [], []
    for axis, side in ((0, pixels.shape[0]), (1, pixels.shape[1])):
        lines = np.flatnonzero(pixels.any(axis=(1 - axis, 2)))
        if not len(lines):
            return pixels
        first, end = int(lines[0]), int(lines[-1]) + 1
        parts.append(slice(first, end))
        begins.append(first + chance.randint(-min(most, first), min(most, side - end)))
    found = np.zeros_like(pixels)
    part = pixels[parts[0], parts[1]]
    down, across = (slice(b, b + n) for b, n in zip(begins, part.shape[:2], strict=True))
    found[down, across] = part
    return found


def _window(pixels: Pixels, crop: float, chance: random.Random) -> Pixels:
    from PIL import Image  # noqa: PLC0415 - takes a while

    height, width = pixels.shape[:2]
    share = 1 - crop * chance.random()
    left, top = ((1 - share) * chance.random() * side for side in (width, height))
    box = (left, top, min(left + share * width, width), min(top + share * height, height))
    found = Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR, box=box)
    return np.asarray(found)


def _tinted(pixels: Pixels, brightness: float, contrast: float, saturation: float) -> Pixels:
    """Change the light of a picture.

    y = (1 + b) x;   z = m + (1 + c) (y - m), m the mean grey of y;   g + (1 + s) (z - g), g of z
    """
    x = pixels * np.float32(1 + brightness)
    mean = np.float32((x @ _GREY).mean(dtype=np.float64))
    x = mean + np.float32(1 + contrast) * (x - mean)
    grey = (x @ _GREY)[..., None]
    x = grey + np.float32(1 + saturation) * (x - grey)
    return np.asarray(np.rint(x.clip(0, 255)), dtype=np.uint8)
