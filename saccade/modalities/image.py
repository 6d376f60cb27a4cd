"""Pictures: red, green and blue of every pixel, from 0 to 255.

As text a picture is a data URI that holds a PNG file. Paths and addresses are never opened.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._picture import MOST, Picture, as_picture, from_text, to_text
from saccade.modalities.base import Array, Codec, Laid, Modality
from saccade.nouns import Raw, Side

_SIDE = Side(3, embedder="cnn")


@final
class ImageCodec(Codec):
    """Pictures of at most `most` pixels each way. There is nothing to learn from them."""

    unit = "pixels"
    dtype = "uint8"
    view: ClassVar[str] = "picture"
    fingerprint = "image uint8 [H, W, 3]"

    def __init__(self, most: int) -> None:
        self.most = most

    @property
    def side(self) -> Side:
        """Three channels."""
        return _SIDE

    def describe(self) -> str:
        """Say how large pictures may be."""
        return f"pictures up to {self.most} x {self.most} pixels"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the pixels of every picture, `[H, W, 3]`."""
        names = origins or [f"picture {n}" for n in range(1, len(raws) + 1)]
        return [self.checked(raw, name).pixels for raw, name in zip(raws, names, strict=True)]

    def checked(self, raw: Raw, where: str) -> Picture:
        """Return a raw value as a picture that is not too large."""
        found = as_picture(raw, where, most=self.most)
        height, width = found.pixels.shape[:2]
        if max(height, width) > self.most:
            raise DataError(
                f"{where}: the picture has {width:,} x {height:,} pixels; expected 1 to"
                f" {self.most} each way. Scale it down."
            )
        return found

    def lengths(self, shapes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the number of pixels, `[n, 3]` to `[n]`."""
        return shapes[:, 0] * shapes[:, 1]

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay pictures out from the upper left corner on, `[B, H, W, 3]`, with zeros around.

        >>> ImageCodec(9).pad([np.ones((2, 1, 3)), np.ones((1, 3, 3))]).mask.astype(int).tolist()
        [[[1, 0, 0], [1, 0, 0]], [[1, 1, 1], [0, 0, 0]]]
        """
        height, width = (max((a.shape[i] for a in arrays), default=0) for i in (0, 1))
        values = np.zeros((len(arrays), height, width, 3), dtype=np.uint8)
        mask = np.zeros((len(arrays), height, width), dtype=np.bool_)
        for i, one in enumerate(arrays):
            values[i, : one.shape[0], : one.shape[1]] = one
            mask[i, : one.shape[0], : one.shape[1]] = True
        return Laid(values, mask)

    def decode(self, values: Array) -> Picture:
        """Return pixels as a picture."""
        return Picture(np.asarray(values, dtype=np.uint8))

    def labels(self, raw: Raw, values: Array) -> tuple[str, ...]:
        """Name nothing: the places form a grid."""
        return ()

    def read(self, text: str, where: str = "input") -> Picture:
        """Read a data URI."""
        return from_text(text, where, most=self.most)

    def write(self, raw: Raw) -> str:
        """Write a data URI."""
        return to_text(as_picture(raw))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(json.dumps({"most": self.most}), encoding="utf-8")


class Image(Modality):
    """Pictures of at most `most` pixels each way; larger ones are refused."""

    discrete: ClassVar[bool] = False
    raw: ClassVar[str] = "picture"
    writable: ClassVar[bool] = False

    def __init__(self, *, most: int = 128) -> None:
        if not 1 <= most <= MOST:
            raise RecipeError(
                f"image.most: found {most}; expected 1 to {MOST} pixels each way. Change it."
            )
        self.most, self.max_length = most, most * most

    def sketch(self) -> Side:
        """Return a side of three channels."""
        return _SIDE

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Take pictures as they are."""
        return ImageCodec(self.most)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `ImageCodec.save` wrote."""
        try:
            most = json.loads(path.read_text(encoding="utf-8"))["most"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as the limits of pictures ({error}); expected what"
                " training wrote. Copy the model folder again."
            ) from None
        if type(most) is not int or not 1 <= most <= MOST:
            raise CheckpointError(
                f"{path}: pictures may have {str(most)[:40]} pixels each way; expected 1 to"
                f" {MOST}. Copy the model folder again."
            )
        return ImageCodec(most)
