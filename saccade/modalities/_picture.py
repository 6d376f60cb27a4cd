"""A picture with what is known of its regions, as an array, as text, and as a file.

As text a picture is a data URI that holds a PNG file; those that hold JPEG, GIF or WebP are read
too. The regions, if there are any, stand in a text chunk of the PNG file, so they go wherever the
picture goes. A reader hands over a `PictureFile`, which is not opened before it is encoded.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities import _photo, _png

Pixels = NDArray[np.uint8]  # [H, W, 3]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are the first outside."""

PREFIX = "data:image/png;base64,"
MOST = 1024  # pixels each way of a picture that is read, unless a recipe says less
_URI = re.compile(r"data:image/(png|jpeg|jpg|gif|webp);base64,", re.IGNORECASE)
_REGIONS = "saccade-regions"  # keyword of the chunk
_MOST_REGIONS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels `[H, W, 3]` from 0 to 255, and boxes of what can be seen in them, by name."""

    pixels: Pixels
    regions: Mapping[str, Box] = field(default_factory=dict)

    def boxes(self, words: tuple[str, ...]) -> dict[int, Box]:
        """Find the names of regions among words; return the box of each word of a name.

        A name that occurs more than once is taken where it occurs first.

        >>> picture = Picture(np.zeros((9, 9, 3), np.uint8), {"red dot": (1, 2, 3, 4)})
        >>> picture.boxes(("a", "red", "dot"))
        {1: (1, 2, 3, 4), 2: (1, 2, 3, 4)}
        """
        found: dict[int, Box] = {}
        for name, box in self.regions.items():
            said = tuple(name.split())
            starts = range(len(words) - len(said) + 1)
            at = next((i for i in starts if words[i : i + len(said)] == said), None)
            if at is not None:
                found |= dict.fromkeys(range(at, at + len(said)), box)
        return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture that lies in a file; it is opened when its pixels are asked for.

    name: what the data calls it, as `dogs/12.jpg`: the same wherever the folder lies.
    """

    path: Path
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.path.name

    @property
    def digest(self) -> str:
        """A hash of the file's bytes, read once a run unless it changes; none if there is no file.

        Two names of one picture have the same.
        """
        try:
            about = self.path.stat()
            return _hashed(self.path, (about.st_size, about.st_mtime_ns))
        except OSError:
            return ""


@lru_cache(maxsize=1 << 20)
def _hashed(path: Path, stamp: tuple[int, int]) -> str:  # noqa: ARG001 - a part of the key
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def to_text(picture: Picture) -> str:
    """Write a picture as text, for a page, a request or a line of a file."""
    texts = {_REGIONS: json.dumps(dict(picture.regions))} if picture.regions else {}
    return PREFIX + base64.b64encode(_png.encode(picture.pixels, texts)).decode("ascii")


def from_text(text: str, where: str = "picture", *, most: int = MOST) -> Picture:
    """Read a picture that was written as text. Nothing is fetched and no file is opened."""
    text = text.strip()
    kind = _URI.match(text[:40])
    if kind is None:
        raise DataError(
            f"{where}: found {text[:40]!r}; expected a picture as text that begins with"
            f" {PREFIX} or the like for jpeg, gif or webp. Paths and addresses are not opened;"
            " encode the file with base64."
        )
    if len(text) > min(_png.largest(most), _photo.MOST_BYTES) * 4 // 3 + len(PREFIX) + 4:
        raise DataError(
            f"{where}: has {len(text):,} characters; expected a picture of at most {most} x {most}"
            f" pixels and {_photo.MOST_BYTES:,} bytes. Make it smaller."
        )
    try:
        data = base64.b64decode(text[kind.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(
            f"{where}: the picture is not base64 ({str(error).rstrip('.')}); expected A-Z, a-z,"
            f" 0-9, + and / behind {kind.group()}. Encode it anew."
        ) from None
    if kind.group(1).lower() != "png" or not _png.is_plain(data, MOST):
        return Picture(_photo.decode_photo(data, where, most=most))
    file = _png.decode(data, where, most=min(most, MOST))
    return Picture(file.pixels, _regions(file.texts.get(_REGIONS, "{}"), where))


def as_picture(raw: Any, where: str = "picture", *, most: int = MOST) -> Picture:
    """Return a raw value as a picture: one already, a file, text, or an array of pixels."""
    if isinstance(raw, Picture):
        return raw
    if isinstance(raw, PictureFile):
        here = str(raw.path) if where == "picture" else f"{where}: {raw.path}"
        return Picture(_photo.read_photo(raw.path, here, most=most))
    if isinstance(raw, str):
        return from_text(raw, where, most=most)
    found = np.asarray(raw)
    if found.ndim != 3 or found.shape[2] != 3 or found.dtype != np.uint8 or not found.size:
        raise DataError(
            f"{where}: an array {list(found.shape)} of {found.dtype}; expected a picture [H, W, 3]"
            " of uint8: red, green and blue from 0 to 255. Convert it."
        )
    return Picture(found)


def _regions(text: str, where: str) -> dict[str, Box]:
    """Read the regions of a picture, which a stranger may have written."""
    try:
        raw = json.loads(text)
        found = {str(name): _box(box) for name, box in raw.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{where}: the regions of the picture cannot be read ({error}); expected JSON such as"
            ' {"red circle": [4, 5, 12, 13]}. Leave them out.'
        ) from None
    if len(found) > _MOST_REGIONS:
        raise DataError(
            f"{where}: the picture has {len(found):,} regions; expected at most {_MOST_REGIONS}."
            " Leave some out."
        )
    return found


def _box(raw: Any) -> Box:
    left, top, right, bottom = (edge if type(edge) is int else -1 for edge in raw)
    if not (0 <= left < right <= MOST and 0 <= top < bottom <= MOST):
        raise ValueError(f"{str(raw)[:40]} is no box of whole numbers: left, top, right, bottom")
    return left, top, right, bottom
