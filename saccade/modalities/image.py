"""Pictures: red, green and blue of every pixel, from 0 to 255.

As text a picture is a data URI that holds a PNG, JPEG, GIF or WebP file. Paths and addresses are
never opened there; a reader hands over a `PictureFile`.
"""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, final, get_args

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, RecipeError
from saccade.intake.files import read_json
from saccade.modalities._augment import Augmentation
from saccade.modalities._picture import MOST, Picture
from saccade.modalities._pictures import PictureCodec
from saccade.modalities._resize import Fit, Sizing
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side

_SIDE, _GREY = Side(3, embedder="cnn"), Side(1, embedder="cnn")
_LIGHT = np.array([0.299, 0.587, 0.114])  # how bright red, green and blue look


@final
class ImageCodec(PictureCodec):
    """Pictures of one size, or of at most so many pixels each way. There is nothing to learn."""

    unit = "pixels"
    dtype = "uint8"

    def __init__(
        self, sizing: Sizing, augmentation: Augmentation = Augmentation(), *, grey: bool = False
    ) -> None:
        super().__init__(sizing, augmentation)
        self.grey = grey

    @property
    def side(self) -> Side:
        """Three channels, or one."""
        return _GREY if self.grey else _SIDE

    @property
    def fingerprint(self) -> str:
        """How pictures are resized, if they are."""
        size = self.sizing.size
        resized = f" {self.sizing.fit} bicubic {size}" if size else ""
        return f"image uint8 [H, W, {self.side.size}]{resized}"

    def describe(self) -> str:
        """Say how large pictures are, or may be."""
        size, most = self.sizing.size, self.sizing.most
        kind = "grey pictures" if self.grey else "pictures"
        if size:
            return f"{kind} of {size} x {size} pixels ({self.sizing.fit})"
        return f"{kind} up to {most} x {most} pixels"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the pixels of every picture, `[H, W, 3]` or `[H, W, 1]`."""
        found = self.sizing.arrays(raws, origins)
        return [_brightness(one) for one in found] if self.grey else list(found)

    def lengths(self, shapes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the number of pixels, `[n, 3]` to `[n]`."""
        return shapes[:, 0] * shapes[:, 1]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay pictures out from the upper left corner on, `[B, H, W, C]`, with zeros around.

        >>> codec = ImageCodec(Sizing())
        >>> codec.pad([np.ones((2, 1, 3)), np.ones((1, 3, 3))]).mask.astype(int).tolist()
        [[[1, 0, 0], [1, 0, 0]], [[1, 1, 1], [0, 0, 0]]]
        """
        height, width = (max((a.shape[i] for a in arrays), default=0) for i in (0, 1))
        values = np.zeros((len(arrays), height, width, self.side.size), dtype=np.uint8)
        mask = np.zeros((len(arrays), height, width), dtype=np.bool_)
        for i, one in enumerate(arrays):
            values[i, : one.shape[0], : one.shape[1]] = one
            mask[i, : one.shape[0], : one.shape[1]] = True
        return Laid(values, mask)

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Return another picture of the same thing, of the same size."""
        return self.augmentation.apply(array, chance, said) if self.varies else array

    def decode(self, values: Array) -> Picture:
        """Return pixels as a picture."""
        pixels = np.asarray(values, dtype=np.uint8)
        return Picture(np.broadcast_to(pixels, (*pixels.shape[:2], 3)))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        one = self.sizing
        said = {"most": one.most, **({"size": one.size, "fit": one.fit} if one.size else {})}
        said |= {"grey": True} if self.grey else {}
        path.write_text(json.dumps(said), encoding="utf-8")


class Image(Modality):
    """Pictures: all made `size` x `size`, or as they are, of at most `most` pixels each way.

    size: 0 leaves pictures as they are; larger ones than `most` are refused.  fit: how others are
    made square: crop (the middle of the longer side), squash, or pad.  grey: a pixel has one
    number, how bright it is.

    Training may see each picture otherwise in every epoch.  random_crop: a window in it, with sides
    that are shorter by up to this share.  random_flip: mirrored, every second time, unless a word
    of the caption begins with one of `sided`.  random_colour: brightness, contrast and saturation
    are multiplied by up to 1 ± this.  random_shift: moved by up to so many pixels each way, as far
    as only black goes out of the picture.
    """

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "picture"
    writable: ClassVar[bool] = False
    grows: ClassVar[bool] = False

    def __init__(  # noqa: PLR0913 - all are options
        self,
        *,
        most: int = 128,
        size: int = 0,
        fit: Fit = "crop",
        grey: bool = False,
        random_crop: float = 0.0,
        random_flip: bool = False,
        random_colour: float = 0.0,
        random_shift: int = 0,
        sided: list[str] = ["left", "right"],  # noqa: B006 - only read
    ) -> None:
        if not 1 <= most <= MOST:
            raise RecipeError(
                f"image.most: found {most}; expected 1 to {MOST} pixels each way. Change it."
            )
        if not 0 <= size <= MOST:
            raise RecipeError(
                f"image.size: found {size}; expected 1 to {MOST} pixels each way, or 0 to leave"
                " pictures as they are. Change it."
            )
        if grey and (random_crop or random_colour):
            raise RecipeError(
                "image.grey: random_crop and random_colour are for pictures in colour; expected one"
                " of them alone. Leave grey out, or them."
            )
        self.sizing, self.grey = Sizing(size, fit, most), grey
        sides = tuple(word.lower() for word in sided)
        self.augmentation = Augmentation(
            random_crop, random_flip, random_colour, sides, random_shift
        )
        self.augmentation.check()
        self.varies = self.augmentation.active
        self.max_length = self.sizing.side**2

    def sketch(self) -> Side:
        """Return a side of three channels, or of one."""
        return _GREY if self.grey else _SIDE

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Take pictures as the options say."""
        return ImageCodec(self.sizing, self.augmentation, grey=self.grey)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `ImageCodec.save` wrote."""
        try:
            said = read_json(path)
            most, size, fit = said["most"], said.get("size", 0), said.get("fit", "crop")
            grey = bool(said.get("grey", False))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the limits of pictures ({error}); expected what"
                " training wrote. Copy the model folder again."
            ) from None
        if not (_is_side(most) and (size == 0 or _is_side(size)) and fit in get_args(Fit)):
            raise CheckpointError(
                f"{path}: pictures may have {str(most)[:40]} pixels each way, and are made"
                f" {str(size)[:40]} ({str(fit)[:40]}); expected 1 to {MOST}, and a size up to that"
                " or 0. Copy the model folder again."
            )
        return ImageCodec(Sizing(int(size), fit, most), self.augmentation, grey=grey)

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Read pictures in the size of another codec, changed by chance as the options say.

        The other may be of `features`: a model then goes on with the pixels themselves.
        """
        if not isinstance(codec, PictureCodec):
            return codec
        return ImageCodec(codec.sizing, self.augmentation, grey=self.grey)


def _brightness(pixels: Array) -> Array:
    return np.asarray(np.rint(pixels @ _LIGHT), dtype=np.uint8)[:, :, None]


def _is_side(found: Any) -> bool:
    return type(found) is int and 1 <= found <= MOST
