"""PNG in and out, with numpy and zlib alone.

The reader is for pictures from strangers. It takes 8-bit greyscale, RGB and RGBA without
interlacing, checks every length and checksum, and never inflates more than the size in the header
allows, which is checked first. Everything else is refused in one sentence.

Boutell et al. 2003, "Portable Network Graphics (PNG) Specification", second edition (ISO 15948).
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Pixels = NDArray[np.uint8]  # [H, W, 3]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by colour type; 3, a palette, is not read
_COLOURS = {n: colour for colour, n in _CHANNELS.items()}
_BESIDE = 1 << 16  # bytes that a file may have beyond its raw pixels: comments, colour profiles


@dataclass(frozen=True, slots=True, eq=False)
class PngFile:
    """What stands in a file: pixels `[H, W, 3]`, and texts by their keyword."""

    pixels: Pixels
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Header:
    width: int
    height: int
    channels: int

    @property
    def size(self) -> int:
        """Bytes of the raw rows: each has the number of its filter in front."""
        return self.height * (1 + self.width * self.channels)


def encode(pixels: Pixels, texts: Mapping[str, str] | None = None) -> bytes:
    """Write a picture as a PNG file, with ASCII texts by keyword.

    The picture is `[H, W, C]`: C is 1 for grey, 3 for RGB, and one more with alpha.

    >>> decode(encode(np.full((2, 3, 3), 7, dtype=np.uint8))).pixels.shape
    (2, 3, 3)
    """
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), dtype=np.uint8)  # filter 0 in front: as it is
    rows[:, 1:] = pixels.reshape(height, width * channels)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOURS[channels], 0, 0, 0)
    said = (
        _chunk(b"tEXt", f"{name}\0{text}".encode("ascii")) for name, text in (texts or {}).items()
    )
    body = _chunk(b"IDAT", zlib.compress(rows.tobytes()))
    return b"".join([_SIGNATURE, _chunk(b"IHDR", header), *said, body, _chunk(b"IEND", b"")])


def decode(data: bytes, where: str = "picture", *, most: int = 1024) -> PngFile:
    """Read a PNG file of at most `most` pixels each way; what is see-through is white."""
    if not data.startswith(_SIGNATURE):
        raise DataError(
            f"{where}: begins with {data[:8]!r}; expected the signature of a PNG file. Save the"
            " picture as PNG."
        )
    if len(data) > largest(most):
        raise DataError(
            f"{where}: has {len(data):,} bytes; a PNG of {most} x {most} pixels has at most"
            f" {largest(most):,}. Make the picture smaller."
        )
    header: _Header | None = None
    packed, texts = [], dict[str, str]()
    for kind, body in _chunks(data, where):
        if header is None:
            header = _header(kind, body, where, most)
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"tEXt":
            name, _, text = body.decode("latin-1").partition("\0")
            texts[name] = text
        elif kind == b"IEND":
            return PngFile(flattened(_rows(header, b"".join(packed), where)), texts)
        elif kind != b"PLTE" and not kind[0] & 0x20:  # a capital: it may not be skipped
            raise _broken(where, f"has a chunk {kind!r} that this reader does not know")
    raise _broken(where, "ends before its last chunk")


def is_plain(data: bytes, most: int = 1024) -> bool:
    """Tell whether `decode` is the one to read this: all but PNG files that Pillow alone can read.

    Those are larger than `most` pixels, of other depths, with a palette, interlaced, or say in
    their header how to turn them or which colour is see-through. What is no PNG file, or a broken
    one, is left to `decode` to refuse.
    """
    if not data.startswith(_SIGNATURE) or data[12:16] != b"IHDR" or len(data) < 29:
        return True
    width, height, depth, colour, _, _, laced = struct.unpack(">IIBBBBB", data[16:29])
    header = data.partition(b"IDAT")[0]
    if laced or b"tRNS" in header or b"eXIf" in header:
        return False
    return width <= most and height <= most and depth == 8 and colour in _CHANNELS


def largest(most: int) -> int:
    """Return how many bytes a file of `most` pixels each way may have."""
    return 4 * most * most + _BESIDE


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _chunks(data: bytes, where: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield (kind, body) of every chunk, its length and checksum checked."""
    place = len(_SIGNATURE)
    while place < len(data):
        if len(data) - place < 12:
            raise _broken(where, "ends inside a chunk")
        (size,) = struct.unpack_from(">I", data, place)
        if size > len(data) - place - 12:
            raise _broken(where, f"has a chunk of {size:,} bytes, more than are left")
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        (found,) = struct.unpack_from(">I", data, place + 8 + size)
        if found != zlib.crc32(data[place + 4 : place + 8 + size]):
            raise _broken(where, f"has a wrong checksum in chunk {kind!r}")
        place += 12 + size
        if kind == b"IEND" and (size or place != len(data)):
            raise _broken(where, "has bytes behind its end")
        yield kind, body


def _header(kind: bytes, body: bytes, where: str, most: int) -> _Header:
    if kind != b"IHDR" or len(body) != 13:
        raise _broken(where, f"begins with chunk {kind!r} of {len(body)} bytes, not with IHDR")
    width, height, depth, colour, packing, filtering, laced = struct.unpack(">IIBBBBB", body)
    if not (1 <= width <= most and 1 <= height <= most):
        raise DataError(
            f"{where}: the picture has {width:,} x {height:,} pixels; expected 1 to {most} each"
            " way. Scale it down."
        )
    if depth != 8 or colour not in _CHANNELS or packing or filtering or laced:
        raise DataError(
            f"{where}: a PNG of {depth} bits, colour type {colour}{', interlaced' * bool(laced)};"
            " expected 8 bits, greyscale or RGB, with or without alpha, not interlaced. Save it as"
            " plain RGB."
        )
    return _Header(width, height, _CHANNELS[colour])


def _rows(header: _Header, packed: bytes, where: str) -> Pixels:
    """Inflate the rows, no further than the header says, and undo their filters: `[H, W, C]`."""
    opened = zlib.decompressobj()
    try:
        raw = opened.decompress(packed, header.size + 1)
    except zlib.error as error:
        raise _broken(where, f"has pixels that do not inflate ({error})") from None
    if len(raw) != header.size or not opened.eof or opened.unused_data:
        size = f"more than {header.size:,}" if len(raw) > header.size else f"{len(raw):,}"
        raise _broken(where, f"has {size} bytes of pixels, where its header says {header.size:,}")
    rows = np.frombuffer(raw, dtype=np.uint8).reshape(header.height, -1)
    if rows[:, 0].max() > 4:
        raise _broken(where, f"has a row with filter {rows[:, 0].max()}, of which there are 0 to 4")
    shape = (header.height, header.width, header.channels)
    filters, values = rows[:, 0], rows[:, 1:].reshape(shape)
    return unfilter(filters, values) if filters.any() else values


def unfilter(filters: NDArray[np.uint8], rows: Pixels) -> Pixels:
    """Add to every pixel what its row's filter foresees of its neighbours, modulo 256.

        x[i, j] = r[i, j] + {0, a, b, (a + b) // 2, paeth(a, b, c)},
        a = x[i, j-1]      b = x[i-1, j]      c = x[i-1, j-1]

    Section 9 of the specification. Pixels with the same i + j do not need each other, so they are
    taken at once: H + W steps.

    Args:
        filters: `[H]`, 0 to 4.
        rows: `[H, W, C]`.
    """
    height, width, channels = rows.shape
    whole = np.zeros((height + 1, width + 1, channels), dtype=np.int32)  # a row and a column of 0
    for step in range(height + width - 1):
        i = np.arange(max(0, step - width + 1), min(height, step + 1))  # [n]
        j = step - i
        a, b, c = whole[i + 1, j], whole[i, j + 1], whole[i, j]  # [n, C]
        choices = (np.zeros_like(a), a, b, (a + b) // 2, _paeth(a, b, c))
        foreseen = np.choose(filters[i, None], choices)
        whole[i + 1, j + 1] = (rows[i, j] + foreseen) % 256
    return whole[1:, 1:].astype(np.uint8)


def _paeth(a: NDArray[np.int32], b: NDArray[np.int32], c: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return which of the three is nearest to a + b - c; of equals the first."""
    far_a, far_b, far_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    first = np.where(far_b <= far_c, b, c)
    return np.where((far_a <= far_b) & (far_a <= far_c), a, first)


def flattened(found: Pixels) -> Pixels:
    """Make grey colour, and lay what is see-through on white paper: `[H, W, 3]`."""
    colour, alpha = (
        (found[..., :-1], found[..., -1:]) if found.shape[2] in (2, 4) else (found, None)
    )
    if alpha is not None:
        paper = 255 * (255 - alpha.astype(np.int32))
        colour = ((colour * alpha.astype(np.int32) + paper + 127) // 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(colour, (*colour.shape[:2], 3)))


def _broken(where: str, what: str) -> DataError:
    return DataError(f"{where}: the PNG {what}; expected a whole file. Save it anew.")
