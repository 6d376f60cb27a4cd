"""Pictures of any size to one size, with what is known of their regions."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from saccade.errors import DataError
from saccade.modalities._photo import LARGEST, is_bare_jpeg
from saccade.modalities._picture import (
    MOST,
    Box,
    Picture,
    PictureFile,
    as_picture,
    from_text,
    to_text,
)
from saccade.modalities._png import Pixels
from saccade.modalities._workers import WHERE, Request, Workers, serve
from saccade.nouns import Raw

Fit = Literal["crop", "squash", "pad"]
_JPEG = "data:image/jpeg;base64,"
_SMALL = 1 << 15  # bytes of a file that is written as it is
_PAPER = 127  # grey around a picture that is padded


@dataclass(frozen=True, slots=True)
class Sizing:
    """How large the pictures are that a model reads.

    size: all are made `size` x `size`; 0 leaves them as they are.  fit: how; see `resize`.
    most: pixels each way, where they are left as they are; larger ones are refused.
    """

    size: int = 0
    fit: Fit = "crop"
    most: int = MOST

    @property
    def limit(self) -> int:
        """Pixels each way that a raw picture may have."""
        return LARGEST if self.size else self.most

    @property
    def side(self) -> int:
        """Pixels each way that no picture goes beyond."""
        return self.size or self.most

    def picture(self, raw: Raw, where: str = "picture") -> Picture:
        """Return a raw value as the picture that a model reads."""
        found = as_picture(raw, where, most=self.limit)
        if self.size:
            return resize_picture(found, self.size, self.fit)
        height, width = found.pixels.shape[:2]
        if max(height, width) > self.most:
            raise DataError(
                f"{where}: the picture has {width:,} x {height:,} pixels; expected 1 to"
                f" {self.most} each way. Scale it down, or set size in the recipe."
            )
        return found

    def read(self, text: str, where: str = "input") -> Picture:
        """Read a data URI as the picture that a model reads."""
        return self.picture(from_text(text, where, most=self.limit), where)

    def write(self, raw: Raw) -> str:
        """Write a data URI from which `read` gives the picture that a model reads.

        A small JPEG file that holds nothing but its picture is kept as it is: as PNG it would have
        several times the letters.
        """
        picture = self.picture(raw)
        if isinstance(raw, PictureFile):
            data = raw.path.read_bytes()
            if len(data) <= _SMALL and is_bare_jpeg(data):
                return _JPEG + base64.b64encode(data).decode("ascii")
        return to_text(picture)

    def shown(self, raw: Raw) -> str:
        """Write a data URI of all that a model sees of a picture, and of no more.

        What was cropped is cut off and what was padded has its grey, so that a grid over it lies
        where the model had it. A file that is squashed keeps its proportions.
        """
        whole = self.fit == "squash" or not self.size
        if whole and max(as_picture(raw, most=self.limit).pixels.shape) <= MOST:
            return self.write(raw)
        return to_text(self.picture(raw))

    def arrays(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Pixels]:
        """Return the pixels of every picture, `[H, W, 3]`; an error names its origin.

        Files are decoded by worker processes, once there has been a second of it.
        """
        names = origins or [f"picture {n}" for n in range(1, len(raws) + 1)]
        named = list(zip(raws, names, strict=True))
        if not all(isinstance(raw, PictureFile) for raw in raws):
            return [self.picture(raw, name).pixels for raw, name in named]
        about = {"size": self.size, "fit": self.fit, "most": self.most}
        return _WORKERS.map([{"path": str(r.path), WHERE: n, **about} for r, n in named], _decoded)


def _decoded(request: Request) -> Pixels:
    """Do what `Sizing.arrays` asks of a worker."""
    sizing = Sizing(request["size"], request["fit"], request["most"])
    return sizing.picture(PictureFile(Path(request["path"])), request[WHERE]).pixels


_WORKERS = Workers("saccade.modalities._resize")


def resize(pixels: Pixels, size: int, fit: Fit = "crop") -> Pixels:
    """Make a picture `[H, W, 3]` to one of `[size, size, 3]`.

    crop: the middle square, as large as the shorter side; what is left and right, or above and
    below, is lost.  squash: all of it, each side on its own scale.  pad: all of it, with grey
    around. By Pillow's bicubic filter, which is as wide as the scale asks for, so that small
    pictures do not flicker. A picture of this size already stays as it is.

    >>> resize(np.zeros((4, 6, 3), np.uint8), 2).shape
    (2, 2, 3)
    """
    if pixels.shape[:2] == (size, size):
        return pixels
    from PIL import Image  # noqa: PLC0415 - takes a while

    left, top, right, bottom = _window(pixels.shape, fit)
    tall, wide = _drawn(pixels.shape, size, fit)
    found = np.array(
        Image.fromarray(np.ascontiguousarray(pixels)).resize(
            (wide, tall), Image.Resampling.BICUBIC, box=(left, top, right, bottom)
        )
    )
    if fit != "pad":
        return found
    whole = np.full((size, size, 3), _PAPER, dtype=np.uint8)
    above, before = (size - tall) // 2, (size - wide) // 2
    whole[above : above + tall, before : before + wide] = found
    return whole


def resize_picture(picture: Picture, size: int, fit: Fit = "crop") -> Picture:
    """Resize a picture and the boxes of its regions; those that are cut off are dropped."""
    shape = picture.pixels.shape
    if shape[:2] == (size, size):
        return picture
    left, top, right, bottom = _window(shape, fit)
    tall, wide = _drawn(shape, size, fit)
    above, before = (size - tall) // 2, (size - wide) // 2
    across, down = wide / (right - left), tall / (bottom - top)
    regions = dict[str, Box]()
    for name, box in picture.regions.items():
        xs = [before + round((x - left) * across) for x in box[::2]]
        ys = [above + round((y - top) * down) for y in box[1::2]]
        (x0, x1), (y0, y1) = (sorted(min(max(v, 0), size) for v in vs) for vs in (xs, ys))
        if x0 < x1 and y0 < y1:
            regions[name] = (x0, y0, x1, y1)
    return Picture(resize(picture.pixels, size, fit), regions)


def _window(shape: tuple[int, ...], fit: Fit) -> tuple[float, float, float, float]:
    """Return what is looked at of a picture: left, top, right, bottom."""
    height, width = shape[:2]
    if fit != "crop":
        return 0, 0, width, height
    side = min(height, width)
    left, top = (width - side) / 2, (height - side) / 2
    return left, top, left + side, top + side


def _drawn(shape: tuple[int, ...], size: int, fit: Fit) -> tuple[int, int]:
    """Return how tall and wide that is made."""
    if fit != "pad":
        return size, size
    height, width = shape[:2]
    longer = max(height, width)
    return max(round(height * size / longer), 1), max(round(width * size / longer), 1)


if __name__ == "__main__":
    serve(_decoded)
