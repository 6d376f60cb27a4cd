"""Animated PNG out, with numpy and zlib alone.

A plain PNG file whose further frames stand in chunks `fdAT`; who does not know them shows the
first frame. PNG Specification, third edition (W3C 2025), section 11.3.5. Reading is Pillow's.
"""

import struct
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.uint8]  # [F, H, W, 3]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LONGEST = 65535  # milliseconds that a frame can say it is shown


def encode(
    frames: Frames, times: Sequence[int] = (), texts: Mapping[str, str] | None = None
) -> bytes:
    r"""Write frames `[F, H, W, 3]` as an animated PNG file, with ASCII texts by keyword.

    Args:
        frames: what is shown.
        times: when each is shown, in milliseconds; without, all delays are 0.
        texts: chunks `tEXt`.

    >>> encode(np.zeros((2, 1, 1, 3), np.uint8))[:4]
    b'\x89PNG'
    """
    n, height, width, _ = frames.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", n, 0))]
    parts += [
        _chunk(b"tEXt", f"{name}\0{text}".encode("ascii")) for name, text in (texts or {}).items()
    ]
    number = 0  # of a chunk of the animation
    for i, delay in enumerate(delays(times) or [0] * n):
        control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, delay, 1000, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        packed = _packed(frames[i])
        if i == 0:
            parts.append(_chunk(b"IDAT", packed))
        else:
            number += 1
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + packed))
        number += 1
    return b"".join([*parts, _chunk(b"IEND", b"")])


def delays(times: Sequence[int]) -> list[int]:
    """Return how long each frame is shown, the last one as long as the one before it.

    >>> delays([0, 100, 300])
    [100, 200, 200]
    """
    found = [min(max(int(b) - int(a), 0), _LONGEST) for a, b in pairwise(times)]
    return [*found, found[-1] if found else 0] if times else []


def _packed(frame: NDArray[np.uint8]) -> bytes:
    height, width, _ = frame.shape
    rows = np.zeros((height, 1 + width * 3), dtype=np.uint8)  # filter 0 in front: as it is
    rows[:, 1:] = frame.reshape(height, width * 3)
    return zlib.compress(rows.tobytes(), 1)  # twice as fast as usual, a sixth larger


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
