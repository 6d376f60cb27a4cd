"""PNG: what is written is read, by us and by Pillow; what is hostile is refused in a sentence."""

import io
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from saccade.errors import DataError
from saccade.modalities import _png
from saccade.modalities._png import Pixels, encode, unfilter

SIGNATURE = b"\x89PNG\r\n\x1a\n"
sides = st.integers(1, 9)


def decode(data: bytes, where: str = "picture", *, most: int = 1024) -> Pixels:
    return _png.decode(data, where, most=most).pixels


def picture(height: int, width: int, channels: int = 3, seed: int = 0) -> Pixels:
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (height, width, channels), dtype=np.uint8)


def smooth(height: int, width: int) -> Pixels:
    """Return a picture on which Pillow uses all its filters."""
    y, x = np.mgrid[:height, :width]
    planes = [x * 3 + y, y * 5 + (x % 7), (x * y) // 9 + picture(height, width)[..., 0] % 4]
    return np.asarray(np.stack(planes, axis=2) % 256, dtype=np.uint8)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(
    width: int = 2,
    height: int = 2,
    depth: int = 8,
    colour: int = 2,
    packing: int = 0,
    laced: int = 0,
) -> bytes:
    body = struct.pack(">IIBBBBB", width, height, depth, colour, packing, 0, laced)
    return SIGNATURE + chunk(b"IHDR", body)


def body(raw: bytes = bytes(14)) -> bytes:
    return chunk(b"IDAT", zlib.compress(raw))


END = chunk(b"IEND", b"")


@given(sides, sides, st.integers(0, 99))
def test_what_is_written_is_read(height: int, width: int, seed: int) -> None:
    found = picture(height, width, seed=seed)
    assert np.array_equal(decode(encode(found)), found)


@given(st.dictionaries(st.sampled_from(["a", "b c"]), st.text(st.characters(codec="ascii"))))
def test_texts_go_with_the_picture(texts: dict[str, str]) -> None:
    assert _png.decode(encode(picture(2, 2), texts)).texts == texts


def test_pillow_reads_what_is_written() -> None:
    found = picture(5, 7)
    opened = Image.open(io.BytesIO(encode(found, {"Title": "noise"})))
    assert np.array_equal(np.asarray(opened), found)
    assert opened.info == {"Title": "noise"}


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "LA"])
def test_reads_what_pillow_writes(mode: str) -> None:
    drawn = Image.fromarray(smooth(40, 57)).convert(mode)
    if mode in ("RGBA", "LA"):
        drawn.putalpha(Image.fromarray(picture(40, 57)[..., 0]))
    file = io.BytesIO()
    drawn.save(file, "PNG", optimize=True)
    paper = Image.new("RGBA", drawn.size, "white")
    expected = Image.alpha_composite(paper, drawn.convert("RGBA")).convert("RGB")
    difference = decode(file.getvalue()).astype(int) - np.asarray(expected)
    assert abs(difference).max() <= (0 if mode in ("RGB", "L") else 1)  # rounding of alpha


def test_a_wholly_clear_picture_is_white() -> None:
    file = io.BytesIO()
    Image.new("RGBA", (2, 3), (9, 9, 9, 0)).save(file, "PNG")
    assert (decode(file.getvalue()) == 255).all()


def one_by_one(filters: Pixels, rows: Pixels) -> Pixels:
    """Undo the filters as section 9.2 of the specification says it, one number at a time."""
    height, width, channels = rows.shape
    x = np.zeros((height + 1, width + 1, channels), dtype=int)
    for i in range(height):
        for j in range(width):
            for k in range(channels):
                a, b, c = int(x[i + 1, j, k]), int(x[i, j + 1, k]), int(x[i, j, k])
                nearest = min((a, b, c), key=lambda one: abs(a + b - c - one))
                foreseen = (0, a, b, (a + b) // 2, nearest)[filters[i]]
                x[i + 1, j + 1, k] = (int(rows[i, j, k]) + foreseen) % 256
    return x[1:, 1:].astype(np.uint8)


@given(sides, sides, st.sampled_from([1, 2, 3, 4]), st.data())
@settings(deadline=None)
def test_filters_are_undone_as_the_specification_says(
    height: int, width: int, channels: int, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(st.integers(0, 4), min_size=height, max_size=height))
    filters = np.array(drawn, dtype=np.uint8)
    rows = picture(height, width, channels, seed=data.draw(st.integers(0, 99)))
    assert np.array_equal(unfilter(filters, rows), one_by_one(filters, rows))


def test_several_chunks_and_comments_are_read() -> None:
    packed = zlib.compress(bytes([0, *range(6), 1, *range(6)]))
    data = header() + chunk(b"tEXt", b"Title\0x") + chunk(b"PLTE", bytes(3))
    data += chunk(b"IDAT", packed[:5]) + chunk(b"IDAT", b"") + chunk(b"IDAT", packed[5:]) + END
    assert decode(data).tolist() == [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 5, 7]]]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", r"begins with b''; expected the signature of a PNG"),
        (b"\xff\xd8\xff\xe0 a JPEG", r"begins with b'\\xff\\xd8\\xff\\xe0"),
        (SIGNATURE, "ends before its last chunk"),
        (SIGNATURE + b"\0\0", "ends inside a chunk"),
        (SIGNATURE + body() + END, "begins with chunk b'IDAT' of .* bytes, not with IHDR"),
        (header() + body(), "ends before its last chunk"),
        (header() + struct.pack(">I", 0x7FFFFFFF) + b"IDAT" + bytes(9), "has a chunk of 2,147,483"),
        (header() + body()[:-1] + b"\0" + END, "has a wrong checksum in chunk b'IDAT'"),
        (header() + chunk(b"ABCD", b"") + body() + END, "chunk b'ABCD' that this reader does not"),
        (header() + header()[8:] + body() + END, "chunk b'IHDR' that this reader does not"),
        (header() + body() + END + b"!", "has bytes behind its end"),
        (header() + body() + chunk(b"IEND", b"!"), "has bytes behind its end"),
        (header(width=0) + body() + END, "has 0 x 2 pixels; expected 1 to 1024 each way"),
        (header(width=1025) + body() + END, "has 1,025 x 2 pixels"),
        (header(height=1 << 31) + body() + END, "has 2 x 2,147,483,648 pixels"),
        (header(depth=16) + body() + END, "a PNG of 16 bits, colour type 2;"),
        (header(colour=3) + body() + END, "8 bits, colour type 3; expected 8 bits, greyscale"),
        (header(laced=1) + body() + END, "colour type 2, interlaced; expected"),
        (header() + chunk(b"IDAT", b"no") + END, "has pixels that do not inflate"),
        (header() + END, "has 0 bytes of pixels, where its header says 14"),
        (header() + body(bytes(13)) + END, "has 13 bytes of pixels, where its header says 14"),
        (header() + body(bytes(15)) + END, "has more than 14 bytes of pixels, where its header"),
        (header() + body(b"\5" + bytes(13)) + END, "a row with filter 5, of which there are 0 to"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=f"^upload: .*{said}"):
        decode(data, "upload")


def test_a_bomb_is_not_inflated() -> None:
    bomb = zlib.compress(bytes(1 << 27), 9)  # 128 MiB of zeros in 130 kB
    with pytest.raises(DataError, match="more than 14 bytes of pixels"):
        decode(header() + chunk(b"IDAT", bomb) + END)


def test_a_file_larger_than_its_pixels_is_refused_unread() -> None:
    data = header() + chunk(b"tEXt", bytes(1 << 17)) + body() + END
    with pytest.raises(DataError, match=r"has 131,.* bytes; a PNG of 8 x 8 pixels has at most"):
        decode(data, most=8)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for tried in (data, SIGNATURE + data, header() + data):
        with pytest.raises(DataError):
            decode(tried)


@given(st.integers(0, 9), st.data())
@settings(deadline=None)
def test_a_file_with_changed_bytes_is_read_or_refused(seed: int, data: st.DataObject) -> None:
    whole = bytearray(encode(picture(3, 4, seed=seed)))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(DataError):
        assert decode(bytes(whole)).shape == (3, 4, 3)


@given(st.data())
def test_a_file_that_is_cut_is_refused(data: st.DataObject) -> None:
    whole = encode(picture(3, 4))
    with pytest.raises(DataError):
        decode(whole[: data.draw(st.integers(0, len(whole) - 1))])
