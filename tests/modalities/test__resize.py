"""Every picture comes out in the size that was asked for, and its regions go with it."""

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.errors import DataError
from saccade.modalities import _png
from saccade.modalities._picture import MOST, Picture, PictureFile, Pixels, from_text, to_text
from saccade.modalities._resize import Fit, Sizing, resize, resize_picture

FITS: tuple[Fit, ...] = get_args(Fit)


def half(height: int, width: int) -> Pixels:
    """Draw a picture that is red on the left and blue on the right."""
    found = np.zeros((height, width, 3), dtype=np.uint8)
    found[:, : width // 2, 0] = 255
    found[:, width // 2 :, 2] = 255
    return found


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 20), st.sampled_from(FITS))
def test_any_picture_has_the_size_asked_for(height: int, width: int, size: int, fit: Fit) -> None:
    found = resize(half(height, width), size, fit)
    assert found.shape == (size, size, 3)
    assert found.dtype == np.uint8
    assert np.array_equal(resize(found, size, fit), found)


@pytest.mark.parametrize("fit", FITS)
def test_a_plain_colour_stays(fit: Fit) -> None:
    plain = np.full((50, 30, 3), 127, dtype=np.uint8)
    assert (resize(plain, 8, fit) == 127).all()


def test_crop_keeps_the_middle() -> None:
    picture = np.zeros((20, 60, 3), dtype=np.uint8)
    picture[:, 15:45] = 255
    assert (resize(picture, 20, "crop") == 255).all()
    assert (resize(picture.transpose(1, 0, 2), 10, "crop") == 255).all()


def test_squash_keeps_all_and_pad_keeps_the_shape() -> None:
    wide = half(10, 40)
    squashed = resize(wide, 20, "squash")
    assert squashed[5, 2].tolist() == [255, 0, 0]
    assert squashed[5, 18].tolist() == [0, 0, 255]
    padded = resize(wide, 20, "pad")
    assert (padded[:7] == 127).all()
    assert (padded[12:] == 127).all()
    assert padded[10, 2].tolist() == [255, 0, 0]
    assert resize(half(1, 400), 20, "pad").shape == (20, 20, 3)


def test_small_pictures_of_fine_stripes_are_grey() -> None:
    stripes = np.zeros((64, 64, 3), dtype=np.uint8)
    stripes[:, ::2] = 255
    assert np.abs(resize(stripes, 8)[2:-2, 2:-2].astype(int) - 127).max() <= 6


def test_regions_go_with_the_picture() -> None:
    picture = Picture(half(20, 40), {"left": (0, 0, 10, 20), "middle": (15, 5, 25, 15)})
    cropped = resize_picture(picture, 10, "crop")
    assert cropped.regions == {"middle": (2, 2, 8, 8)}
    assert resize_picture(picture, 10, "squash").regions["left"] == (0, 0, 2, 10)
    padded = resize_picture(picture, 40, "pad")
    assert padded.regions["left"] == (0, 10, 10, 30)
    assert resize_picture(cropped, 10) is cropped


def test_every_form_of_a_picture_is_resized(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(_png.encode(half(30, 50)))
    forms = [half(30, 50), to_text(Picture(half(30, 50))), PictureFile(path), Picture(half(30, 50))]
    arrays = Sizing(16, "squash").arrays(forms)
    assert all(np.array_equal(one, arrays[0]) for one in arrays)
    assert arrays[0].shape == (16, 16, 3)


def test_a_picture_that_stays_as_it_is_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(_png.encode(half(30, 50)))
    for raw in (half(30, 50), PictureFile(path)):
        with pytest.raises(DataError, match=r"x:1.*the picture has 50 x 30 pixels; expected 1 to"):
            Sizing(most=49).arrays([raw], ["x:1"])
    path.write_bytes(b"GIF89a")
    with pytest.raises(DataError, match=r"^picture 1: .*a\.png: cannot be decoded|no picture that"):
        Sizing(8).arrays([PictureFile(path)])


def test_a_small_jpeg_file_is_written_as_it_is_unless_it_tells_more(tmp_path: Path) -> None:
    sizing, path = Sizing(16, "squash"), tmp_path / "a.jpg"
    for told in ({}, {"comment": b"me"}, {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}):
        Image.fromarray(half(30, 50)).save(path, "JPEG", **told)
        text = sizing.write(PictureFile(path))
        assert text.startswith("data:image/jpeg" if not told else "data:image/png")
        found = sizing.read(text).pixels
        assert np.array_equal(found, sizing.arrays([PictureFile(path)])[0])
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path, "JPEG", quality=100)
    assert sizing.write(PictureFile(path)).startswith("data:image/png")


@pytest.mark.parametrize("fit", ["crop", "pad", "squash"])
def test_what_is_shown_of_a_file_is_what_a_model_sees(fit: Fit, tmp_path: Path) -> None:
    path, sizing = tmp_path / "x.jpg", Sizing(20, fit)
    Image.fromarray(half(30, 50)).save(path, "JPEG")
    found = from_text(sizing.shown(PictureFile(path))).pixels
    assert found.shape == ((30, 50, 3) if fit == "squash" else (20, 20, 3))
    if fit != "squash":
        assert np.array_equal(found, sizing.picture(PictureFile(path)).pixels)


def test_a_file_that_no_view_can_draw_is_shown_smaller(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    Image.fromarray(np.zeros((8, MOST + 1, 3), np.uint8)).save(path, "JPEG")
    for sizing in (Sizing(20, "squash"), Sizing(20, "crop")):
        assert from_text(sizing.shown(PictureFile(path))).pixels.shape == (20, 20, 3)
