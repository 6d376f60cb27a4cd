"""Animations and folders of pictures to frames, through Pillow.

The files may come from strangers. Canvas and number of frames are checked as they become known, so
a small file cannot ask for much. What cannot be decoded is refused in one sentence that names the
file. Frames come one at a time: whoever samples or scales them needs room for what is kept alone.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]  # [H, W, 3]

LARGEST = 4096
"""Pixels each way of a frame."""
MOST_FRAMES = 10_000
"""Frames of any clip, before some are chosen."""
MOST_PIXELS = 200_000_000
"""Pixels of all frames of an animation: a few seconds of work."""
MOST_BYTES = 1 << 28
"""Bytes of a file."""

ANIMATIONS = (".gif", ".png", ".apng", ".webp")
STILLS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")

_FORMATS = ("GIF", "PNG", "WEBP")
_STILL_FORMATS = ("PNG", "JPEG", "BMP", "WEBP")


@dataclass(frozen=True, slots=True)
class Footage:
    """What can be asked for frames: when each is shown, and those of some numbers, in order.

    times: in milliseconds, `()` if nobody knows.  texts: what the file says about itself.
    """

    n_frames: int
    times: tuple[int, ...]
    frames: Callable[[Sequence[int]], Iterator[Pixels]]
    texts: dict[str, str]


def animation(data: bytes, where: str) -> Footage:
    """Open the bytes of a GIF, an animated PNG or an animated WebP."""
    _check_whole(data, where)
    delays, texts = list[float](), dict[str, str]()
    with _opened(data, where, _FORMATS) as image:
        texts = {k: v for k, v in image.info.items() if isinstance(k, str) and isinstance(v, str)}
        for _ in _sought(image, where):
            delays.append(float(image.info.get("duration", 0)))
    return Footage(len(delays), _starts(delays), lambda picks: _shown(data, where, picks), texts)


def folder_of_frames(path: Path, where: str, rate: float = 0.0) -> Footage:
    """Open a folder of pictures, which are frames in the order of their names.

    Numbers in names count as numbers: `frame9.png` is before `frame10.png`.
    """
    files = sorted((f for f in path.iterdir() if f.suffix.lower() in STILLS), key=_natural)
    if not files:
        raise DataError(
            f"{where}: the folder has no pictures; expected frames that end in"
            f" {', '.join(STILLS)}. Put them there, or leave the clip out."
        )
    _check_count(len(files), where)
    times = tuple(round(1000 * i / rate) for i in range(len(files))) if rate else ()
    return Footage(len(files), times, lambda picks: (_still(files[i]) for i in picks), {})


def read_bytes(path: Path, where: str) -> bytes:
    """Read a file that is not too large."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(
                f"{where}: has {size:,} bytes; expected a clip of at most {MOST_BYTES:,}. Cut it,"
                " or scale it down."
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"{where}: no such file; expected a clip. Put it there, or leave it out."
        ) from None
    except OSError as error:
        raise DataError(
            f"{where}: cannot be read ({error.strerror}); expected a clip. Check the path and its"
            " permissions."
        ) from None


def check_canvas(width: int, height: int, where: str) -> None:
    """Refuse frames that are too large."""
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise DataError(
            f"{where}: frames have {width:,} x {height:,} pixels; expected 1 to {LARGEST:,} each"
            " way. Scale the clip down."
        )


def _shown(data: bytes, where: str, picks: Sequence[int]) -> Iterator[Pixels]:
    wanted = set(picks)
    with _opened(data, where, _FORMATS) as image:
        for i in _sought(image, where):
            image.load()
            check_canvas(*image.size, where)
            if i in wanted:
                yield _pixels(image)
            if i == picks[-1]:
                return


def _sought(image: "Image", where: str) -> Iterator[int]:
    """Go to every frame; the canvas of a GIF may grow on the way."""
    total = 0
    for i in range(MOST_FRAMES + 1):
        try:
            image.seek(i)
        except EOFError:
            return
        check_canvas(*image.size, where)
        _check_count(i + 1, where)
        total += image.size[0] * image.size[1]
        if total > MOST_PIXELS:
            raise DataError(
                f"{where}: the first {i + 1:,} frames have {total:,} pixels; expected at most"
                f" {MOST_PIXELS:,} in all. Cut the clip, or scale it down."
            )
        yield i


@contextmanager
def _opened(data: bytes, where: str, formats: Sequence[str]) -> "Iterator[Image]":
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - takes a while

    try:
        with Image.open(BytesIO(data), formats=list(formats)) as image:
            check_canvas(*image.size, where)
            yield image
    except DataError:
        raise
    except UnidentifiedImageError:
        raise DataError(
            f"{where}: begins with {data[:8]!r}; expected {', '.join(formats[:-1])} or"
            f" {formats[-1]}. Is it damaged, or another kind of file? Save it anew."
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DataError(
            f"{where}: frames have more than {LARGEST**2:,} pixels; expected 1 to {LARGEST:,} each"
            " way. Scale the clip down."
        ) from None
    except Exception as error:  # a decoder may raise anything on broken bytes
        said = str(error).rstrip(".")[:100] or type(error).__name__
        raise DataError(
            f"{where}: cannot be decoded ({said}); expected a whole file. Copy or save it anew."
        ) from None


def _check_whole(data: bytes, where: str) -> None:
    """Refuse files without an end, which Pillow takes for shorter animations."""
    ends = {b"GIF8": b";", b"\x89PNG": b"IEND\xaeB`\x82"}
    end = ends.get(data[:4])
    if end is not None and not data.rstrip(b"\0\r\n").endswith(end):
        raise DataError(
            f"{where}: ends before its last frame, behind {len(data):,} bytes; expected a whole"
            " file. Copy or save it anew."
        )


def _check_count(n: int, where: str) -> None:
    if n > MOST_FRAMES:
        raise DataError(
            f"{where}: has more than {MOST_FRAMES:,} frames; expected at most so many. Cut the"
            " clip."
        )


def _still(path: Path) -> Pixels:
    with _opened(read_bytes(path, str(path)), str(path), _STILL_FORMATS) as image:
        image.load()
        return _pixels(image)


def _pixels(image: "Image") -> Pixels:
    """Return red, green and blue; what is see-through lies on white paper."""
    from PIL import Image  # noqa: PLC0415

    if image.has_transparency_data:
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image.convert("RGBA"))
    return np.array(image.convert("RGB"))


def _starts(delays: Sequence[float]) -> tuple[int, ...]:
    """Return when frames are shown from how long they are; `()` if none says how long."""
    if not any(delays[:-1]):
        return ()
    return tuple(int(t) for t in np.cumsum([0, *np.rint(delays[:-1])]))


def _natural(path: Path) -> list[Any]:
    """Split a name into words and numbers, to be sorted by."""
    words, digits = [""], False
    for letter in path.name.lower():
        if (letter.isascii() and letter.isdigit()) != digits:
            words.append("")
            digits = not digits
        words[-1] += letter
    return [int(word) if i % 2 else word for i, word in enumerate(words)]
