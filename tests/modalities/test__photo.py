"""Picture files of every usual kind become the same RGB pixels; broken ones are refused."""

import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from saccade.errors import DataError
from saccade.modalities import _photo, _png
from saccade.modalities._photo import LARGEST, MOST_PIXELS, decode_photo, is_bare_jpeg, read_photo
from saccade.modalities._png import Pixels


def pixels(height: int = 12, width: int = 9) -> Pixels:
    smooth = np.linspace(0, 255, height * width * 3).reshape(height, width, 3)
    return smooth.astype(np.uint8)


def saved(image: Any, kind: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def decoded(data: bytes, most: int = LARGEST) -> Pixels:
    return decode_photo(data, "a.jpg", most=most)


PLAIN = Image.fromarray(pixels())


@pytest.mark.parametrize("kind", ["PNG", "BMP", "WEBP"])
def test_kinds_without_loss_give_the_pixels(kind: str) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    assert np.array_equal(decoded(saved(PLAIN, kind, **options)), pixels())


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP"])
def test_kinds_with_loss_give_nearly_the_pixels(kind: str) -> None:
    found = decoded(saved(PLAIN, kind))
    assert found.shape == pixels().shape
    assert found.dtype == np.uint8
    assert np.abs(found.astype(int) - pixels()).mean() < 12


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA"])
def test_modes_become_rgb(mode: str) -> None:
    image = PLAIN.convert("L").convert(mode) if mode == "LA" else PLAIN.convert(mode)
    wanted = np.asarray(image.convert("RGB"))
    assert np.array_equal(decoded(saved(image, "PNG")), wanted)


def test_cmyk_becomes_rgb() -> None:
    image = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    found = decoded(saved(image, "JPEG", quality=95))
    assert np.abs(found.astype(int) - [255, 0, 0]).max() < 12


def test_sixteen_bits_keep_their_upper_byte() -> None:
    grey = (np.arange(12, dtype=np.uint16) * 5000).reshape(3, 4)
    found = decoded(saved(Image.fromarray(grey), "PNG"))
    assert np.array_equal(found[..., 0], grey >> 8)
    assert found.shape == (3, 4, 3)


def test_what_is_see_through_lies_on_white_as_in_our_own_reader() -> None:
    alpha = np.arange(4 * 5, dtype=np.uint8).reshape(4, 5, 1) * 12
    data = saved(Image.fromarray(np.concatenate([pixels(4, 5), alpha], axis=2)), "PNG")
    assert np.array_equal(decoded(data), _png.decode(data).pixels)
    palette = Image.new("P", (3, 3), 0)
    palette.putpalette([255, 0, 0, 0, 0, 255])
    palette.putpixel((1, 1), 1)
    found = decoded(saved(palette, "PNG", transparency=0))
    assert found[0, 0].tolist() == [255, 255, 255]
    assert found[1, 1].tolist() == [0, 0, 255]


@pytest.mark.parametrize("turn", range(1, 9))
def test_a_picture_is_turned_as_its_exif_data_says(turn: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = turn
    data = saved(PLAIN, "PNG", exif=exif)
    wanted = ImageOps.exif_transpose(Image.open(BytesIO(data)))
    assert np.array_equal(decoded(data), np.asarray(wanted))
    assert (decoded(data).shape[:2] == (9, 12)) == (turn >= 5)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_the_first_frame_of_an_animation_is_read(kind: str) -> None:
    frames = [Image.new("RGB", (6, 5), colour) for colour in ("red", "lime", "blue")]
    options = {"lossless": True} if kind == "WEBP" else {}
    data = saved(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    assert np.array_equal(decoded(data), np.asarray(frames[0]))


def test_a_file_is_read_or_said_to_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    with pytest.raises(DataError, match=r"^x:3: no such file; expected a picture\. Put it there"):
        read_photo(path, "x:3", most=9)
    with pytest.raises(DataError, match=r"^x:3: cannot be read \(Is a directory\)"):
        read_photo(tmp_path, "x:3", most=9)
    path.touch()
    with pytest.raises(DataError, match=r"^x:3: the file is empty; expected a picture\. Copy it"):
        read_photo(path, "x:3", most=9)
    path.write_bytes(saved(PLAIN, "PNG"))
    assert np.array_equal(read_photo(path, "x:3", most=12), pixels())
    with pytest.raises(DataError, match=r"^x:3: the picture has 9 x 12 pixels; expected 1 to 11 e"):
        read_photo(path, "x:3", most=11)


def test_a_file_of_too_many_bytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    with path.open("wb") as file:
        file.truncate(_photo.MOST_BYTES + 1)  # a file with a hole: it takes no room
    with pytest.raises(DataError, match=r"has 67,108,865 bytes; expected a picture of at most"):
        read_photo(path, "a.jpg", most=9)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_file_that_is_cut_off_is_refused(kind: str) -> None:
    data = saved(Image.fromarray(pixels(40, 40)), kind)
    with pytest.raises(DataError, match=r"^a\.jpg: .*(cannot be decoded|no picture that is known)"):
        decoded(data[: len(data) // 2])


@pytest.mark.parametrize(
    "data", [b"GIF89a", b"\xff\xd8\xff", b"<svg/>", b"%PDF-1.4", b"II*\0", b"\0" * 99, b"x"]
)
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^a\.jpg: .*(Save it anew|Copy or save it anew)\.$"):
        decoded(data)


def test_a_bomb_is_refused_by_its_header() -> None:
    said = rf"the picture has 8,000 x 6,251 pixels; expected at most {MOST_PIXELS:,} in all"
    with pytest.raises(DataError, match=said):
        decoded(saved(Image.new("1", (8_000, 6_251)), "PNG"))
    header = saved(Image.new("1", (1, 1)), "BMP")
    huge = header[:18] + struct.pack("<ii", 60_000, 60_000) + header[26:]
    with pytest.raises(DataError, match=r"Image size \(3600000000 pixels\) exceeds limit.*; expec"):
        decoded(huge)
    with pytest.raises(DataError, match=r"the picture has 1 x 20,000 pixels; expected 1 to 16,384"):
        decoded(saved(Image.new("1", (1, 20_000)), "PNG"))


def test_the_canvas_of_webp_is_checked_before_it_is_opened() -> None:
    frames = [Image.new("RGB", (6, 5), colour) for colour in ("red", "lime")]
    data = bytearray(saved(frames[0], "WEBP", save_all=True, append_images=frames[1:]))
    assert data[12:16] == b"VP8X"
    data[24:30] = b"\xfe\x3f\0\xfe\x3f\0"  # 16,383 x 16,383
    with pytest.raises(DataError, match=r"the picture has 16,383 x 16,383 pixels; expected at mo"):
        decoded(bytes(data))


def test_a_jpeg_that_tells_more_than_its_picture_is_not_bare() -> None:
    bare = saved(PLAIN, "JPEG")
    assert is_bare_jpeg(bare)
    assert is_bare_jpeg(saved(PLAIN, "JPEG", progressive=True, quality=30))
    assert is_bare_jpeg(saved(Image.new("CMYK", (8, 8)), "JPEG"))
    told = [{"comment": b"me"}, {"exif": b"Exif\0\0MM\0*"}, {"icc_profile": b"x"}, {"xmp": b"x"}]
    for one in told:
        assert not is_bare_jpeg(saved(PLAIN, "JPEG", **one))
    for data in (b"", bare[:-1], bare + b"more", bare[:30] + bare[-2:], saved(PLAIN, "PNG")):
        assert not is_bare_jpeg(data)
