"""A picture with what is known of its regions, as an array and as text.

As text a picture is a data URI that holds a PNG file. The regions, if there are any, stand in a
text chunk of that file, so they go wherever the picture goes.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities import _png

Pixels = NDArray[np.uint8]  # [H, W, 3]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are the first outside."""

PREFIX = "data:image/png;base64,"
MOST = 1024  # pixels each way of a picture that is read, unless a recipe says less
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


def to_text(picture: Picture) -> str:
    """Write a picture as text, for a page, a request or a line of a file."""
    texts = {_REGIONS: json.dumps(dict(picture.regions))} if picture.regions else {}
    return PREFIX + base64.b64encode(_png.encode(picture.pixels, texts)).decode("ascii")


def from_text(text: str, where: str = "picture", *, most: int = MOST) -> Picture:
    """Read a picture that was written as text. Nothing is fetched and no file is opened."""
    text = text.strip()
    if text[: len(PREFIX)].lower() != PREFIX:
        raise DataError(
            f"{where}: found {text[:40]!r}; expected a picture as text that begins with"
            f" {PREFIX}. Paths and addresses are not opened; encode the file with base64."
        )
    if len(text) > _png.largest(most) * 4 // 3 + len(PREFIX) + 4:
        raise DataError(
            f"{where}: has {len(text):,} characters; expected a picture of at most {most} x {most}"
            " pixels. Make it smaller."
        )
    try:
        data = base64.b64decode(text[len(PREFIX) :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(
            f"{where}: the picture is not base64 ({str(error).rstrip('.')}); expected A-Z, a-z,"
            f" 0-9, + and / behind {PREFIX}. Encode it anew."
        ) from None
    file = _png.decode(data, where, most=most)
    return Picture(file.pixels, _regions(file.texts.get(_REGIONS, "{}"), where))


def as_picture(raw: Any, where: str = "picture", *, most: int = MOST) -> Picture:
    """Return a raw value as a picture, whether it is one, text, or an array of pixels."""
    if isinstance(raw, Picture):
        return raw
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
