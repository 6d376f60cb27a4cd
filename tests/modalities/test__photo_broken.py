"""Whatever the bytes are: pixels or one of our errors, soon, and without much memory."""

import base64
import random
import resource
import struct
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.errors import DataError
from saccade.modalities._photo import LARGEST, decode_photo
from saccade.modalities._picture import from_text


def _saved(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    noise = np.random.default_rng(0).integers(0, 256, (11, 9, 3), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(noise).convert(mode).save(file, kind, **options)
    return file.getvalue()


_MORE = [Image.new("RGB", (9, 11), colour) for colour in ("red", "blue")]
FILES = {
    "png": _saved("PNG"),
    "png palette": _saved("PNG", "P"),
    "png alpha": _saved("PNG", "RGBA"),
    "png bits": _saved("PNG", "1"),
    "jpeg": _saved("JPEG"),
    "jpeg progressive": _saved("JPEG", progressive=True),
    "jpeg cmyk": _saved("JPEG", "CMYK"),
    "jpeg exif": _saved(
        "JPEG", exif=b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\3\0\1\0\0\0\6\0\0\0\0\0"
    ),
    "gif": _saved("GIF"),
    "gif moving": _saved("GIF", save_all=True, append_images=_MORE),
    "webp": _saved("WEBP"),
    "webp lossless": _saved("WEBP", lossless=True),
    "webp moving": _saved("WEBP", save_all=True, append_images=_MORE),
    "bmp": _saved("BMP"),
}


def tried(data: bytes) -> bool:
    """Decode; tell whether pixels came out. Anything but pixels or our error fails a test."""
    try:
        found = decode_photo(data, "f:1", most=2000)
    except DataError as refused:
        said = str(refused)
    else:
        said = ""
        assert found.dtype == np.uint8
        assert found.ndim == 3
        assert found.shape[2] == 3
        assert max(found.shape) <= 2000
    assert not said or (said.startswith("f:1: ") and said.endswith("."))
    return not said


@pytest.mark.parametrize("name", FILES)
def test_every_cut_is_read_or_refused(name: str) -> None:
    data = FILES[name]
    assert tried(data)
    kept = [tried(data[:n]) for n in range(len(data))]
    assert not any(kept[: len(data) // 2])


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits_are_read_or_refused(name: str) -> None:
    chance, start = random.Random(name), time.monotonic()
    for _ in range(300):
        data = bytearray(FILES[name])
        for _ in range(chance.randint(1, 4)):
            place = min(int(chance.expovariate(0.02)), len(data) - 1)  # most harm is at the front
            data[place] ^= 1 << chance.randrange(8)
        tried(bytes(data))
    assert time.monotonic() - start < 60


@given(st.sampled_from(sorted(FILES)), st.data())
def test_pieces_of_files_are_read_or_refused(name: str, data: st.DataObject) -> None:
    whole = FILES[name]
    start, end = sorted(data.draw(st.integers(0, len(whole))) for _ in range(2))
    tried(whole[:start] + data.draw(st.binary(max_size=20)) + whole[end:])


@given(st.binary(max_size=60), st.sampled_from(["png", "jpeg", "gif", "webp"]))
def test_any_text_is_read_or_refused(data: bytes, kind: str) -> None:
    with suppress(DataError):
        from_text(f"data:image/{kind};base64,{base64.b64encode(data).decode()}", most=2000)


@pytest.mark.parametrize("magic", [b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM"])
def test_another_file_behind_a_magic_is_refused(magic: bytes) -> None:
    for name, data in FILES.items():
        if not data.startswith(magic[:2]):
            assert not tried(magic + data[len(magic) :]), name


def test_the_smallest_and_the_narrowest() -> None:
    def sized(width: int, height: int) -> bytes:
        file = BytesIO()
        Image.new("RGB", (width, height), "red").save(file, "PNG")
        return file.getvalue()

    assert decode_photo(sized(1, 1), "f:1", most=LARGEST).tolist() == [[[255, 0, 0]]]
    assert decode_photo(sized(1, 16_384), "f:1", most=LARGEST).shape == (16_384, 1, 3)
    with pytest.raises(DataError, match=r"1 x 20,000 pixels; expected 1 to 16,384 each way"):
        decode_photo(sized(1, 20_000), "f:1", most=LARGEST)


def test_a_jpeg_of_many_scans_is_refused() -> None:
    data = FILES["jpeg progressive"]
    place = data.rindex(b"\xff\xda")
    with pytest.raises(DataError, match=r"a JPEG of \d+ scans, which takes very long to decode"):
        decode_photo(data[:place] + data[place:-2] * 300, "f:1", most=LARGEST)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int, height: int, *chunks: bytes) -> bytes:
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + _chunk(b"IEND", b"")


_ZEROS = zlib.compress(bytes(1 << 28))  # 256 MiB in 256 kB
BOMBS = {
    "pixels": _png(9, 9, _chunk(b"IDAT", _ZEROS)),
    "text": _png(9, 9, _chunk(b"zTXt", b"a\0\0" + _ZEROS), _chunk(b"IDAT", zlib.compress(b""))),
    "profile": _png(9, 9, _chunk(b"iCCP", b"a\0\0" + _ZEROS), _chunk(b"IDAT", zlib.compress(b""))),
    "header": _png(16_000, 16_000, _chunk(b"IDAT", _ZEROS)),
    "gif": b"GIF89a" + struct.pack("<HHBBB", 65_000, 65_000, 0, 0, 0) + FILES["gif"][13:],
    "webp": FILES["webp moving"][:24] + b"\xfe\x3f\0\xfe\x3f\0" + FILES["webp moving"][30:],
    "bmp": FILES["bmp"][:18] + struct.pack("<ii", 60_000, 60_000) + FILES["bmp"][26:],
}
_CHILD = """
import resource, sys
from saccade.errors import DataError
from saccade.modalities._photo import LARGEST, decode_photo
decode_photo(bytes.fromhex(sys.argv[1]), "warm up", most=9)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(decode_photo(sys.stdin.buffer.read(), "f:1", most=LARGEST).shape)
except DataError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in kilobytes on Linux")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_little_memory(name: str) -> None:
    warm = decode_warm()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _CHILD, warm],
        input=BOMBS[name],
        capture_output=True,
        check=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    said, grown = done.stdout.decode().strip().splitlines()
    assert int(grown) < 100_000, said  # kilobytes
    if name != "pixels":  # Pillow reads the picture and leaves the rest
        assert said.startswith("f:1: ")


def decode_warm() -> str:
    file = BytesIO()
    Image.new("RGB", (2, 2)).save(file, "PNG")
    return file.getvalue().hex()
