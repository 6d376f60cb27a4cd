"""Picture files of any usual kind to pixels, through Pillow.

The files may come from strangers. The header is checked before anything is decoded: which kind it
is, and how many pixels it promises. What cannot be decoded is refused in one sentence that names
the file. Nothing of a broken picture is used.
"""

import struct
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from saccade.errors import DataError
from saccade.modalities import _png
from saccade.modalities._png import Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST = 16_384
"""Pixels each way of a picture that is to be resized."""
MOST_PIXELS = 50_000_000
"""Pixels of any picture; an RGB array of them takes 150 MB."""
MOST_BYTES = 1 << 26
"""Bytes of any picture file."""

_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP")
_SCAN = 0xDA  # where the pixels begin
_SCAN_MARKER = bytes((0xFF, _SCAN))
_MOST_SCANS = 200  # progressive files have about ten
_PICTURE_MARKERS = (*range(0xC0, 0xD0), 0xDB, 0xDD, 0xE0, 0xEE, _SCAN)  # tables, JFIF, Adobe
_NAMED = "JPEG, PNG, GIF, WebP or BMP"


def read_photo(path: Path, where: str, *, most: int) -> Pixels:
    """Read a picture file of at most `most` pixels each way as `[H, W, 3]`.

    The picture is turned as its EXIF data says. Of an animation the first frame is read. Palettes,
    CMYK, grey and 16 bits become RGB of 8 bits; what is see-through lies on white paper.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(
                f"{where}: has {size:,} bytes; expected a picture of at most {MOST_BYTES:,}. Scale"
                " it down."
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"{where}: no such file; expected a picture. Put it there, or leave it out."
        ) from None
    except OSError as error:
        raise DataError(
            f"{where}: cannot be read ({error.strerror}); expected a picture. Check the path and"
            " its permissions."
        ) from None
    return decode_photo(data, where, most=most)


def decode_photo(data: bytes, where: str, *, most: int) -> Pixels:
    """Decode the bytes of a picture file; see `read_photo`."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - takes a while

    # what Pillow warns of in a file is read nevertheless, or refused below
    warnings.filterwarnings("ignore", module=r"PIL\.")
    if not data:
        raise DataError(f"{where}: the file is empty; expected a picture. Copy it again.")
    _check_webp(data, where, most)
    if data[:2] == b"\xff\xd8" and data.count(_SCAN_MARKER) > _MOST_SCANS:
        raise DataError(
            f"{where}: a JPEG of {data.count(_SCAN_MARKER):,} scans, which takes very long"
            f" to decode; expected at most {_MOST_SCANS}. Save it anew."
        )
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            _check_size(image.size, where, most)
            image.load()
            _check_size(image.size, where, most)  # the frame of a GIF may be larger than its screen
            return _upright(image)
    except DataError:
        raise
    except UnidentifiedImageError:
        raise DataError(
            f"{where}: begins with {data[:8]!r}, which is no picture that is known here; expected"
            f" {_NAMED}. Is it damaged, or another kind of file? Save it anew."
        ) from None
    except Image.DecompressionBombError as error:
        raise DataError(_too_many(where, str(error).partition(",")[0])) from None
    except Exception as error:  # a decoder may raise anything on broken bytes
        said = str(error).rstrip(".")[:100] or type(error).__name__
        raise DataError(
            f"{where}: cannot be decoded ({said}); expected a whole picture. Copy or save it anew."
        ) from None


def size_of(path: Path) -> tuple[int, int] | None:
    """Return width and height as the header of a picture file has them; None if it has none."""
    from PIL import Image  # noqa: PLC0415

    warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        with Image.open(path, formats=_FORMATS) as image:
            return image.size
    except Exception:  # see above
        return None


def is_bare_jpeg(data: bytes) -> bool:
    """Tell whether a file is a JPEG that holds nothing but its picture.

    No place and time where it was taken, no comment, no second picture: it can be shown to others.
    """
    place = 2
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return False
    while place + 4 <= len(data):
        marker, size = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if data[place] != 0xFF or marker not in _PICTURE_MARKERS:
            return False
        if marker == _SCAN:
            return True
        place += 2 + size
    return False


def _upright(image: "Image") -> Pixels:
    """Return pixels `[H, W, 3]`, turned as EXIF says."""
    turned = _turned(image)
    if turned.mode.startswith(("I", "F")):  # 16 bits of grey
        wide = np.asarray(turned).astype(np.float64)
        grey = np.clip(wide // 256, 0, 255).astype(np.uint8)
        return _png.flattened(grey[..., None])
    if turned.has_transparency_data:
        return _png.flattened(np.asarray(turned.convert("RGBA")))
    return np.array(turned.convert("RGB"))


def _turned(image: "Image") -> "Image":
    """Turn a picture as its EXIF data says, or not at all where that is broken: many files are."""
    from PIL import ImageOps  # noqa: PLC0415

    try:
        return ImageOps.exif_transpose(image)
    except (SyntaxError, ValueError, TypeError, KeyError, EOFError, OSError, struct.error):
        return image


def _check_size(size: tuple[int, int], where: str, most: int) -> None:
    width, height = size
    if not (1 <= width <= most and 1 <= height <= most):
        raise DataError(
            f"{where}: the picture has {width:,} x {height:,} pixels; expected 1 to {most:,} each"
            " way. Scale it down."
        )
    if width * height > MOST_PIXELS:
        raise DataError(_too_many(where, f"the picture has {width:,} x {height:,} pixels"))


def _too_many(where: str, what: str) -> str:
    return f"{where}: {what}; expected at most {MOST_PIXELS:,} in all. Scale it down."


def _check_webp(data: bytes, where: str, most: int) -> None:
    """Check the canvas of a WebP file, for which room is made as soon as it is opened."""
    if data[:4] != b"RIFF" or data[8:16] != b"WEBPVP8X" or len(data) < 30:
        return
    sides: Any = struct.unpack("<HBHB", data[24:30])
    _check_size((1 + sides[0] + (sides[1] << 16), 1 + sides[2] + (sides[3] << 16)), where, most)
