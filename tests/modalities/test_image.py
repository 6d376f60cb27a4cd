"""Pictures as one side of an example."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._picture import Picture, Pixels, to_text
from saccade.modalities.image import Image, ImageCodec


def pixels(height: int = 6, width: int = 5) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def codec(most: int = 16) -> ImageCodec:
    found = Image(most=most).fit([[]])
    assert isinstance(found, ImageCodec)
    return found


def test_every_form_of_a_picture_is_encoded() -> None:
    forms = [pixels(), to_text(Picture(pixels())), Picture(pixels(), {"x": (0, 0, 1, 1)})]
    for array in codec().encode(forms):
        assert array.dtype == np.uint8
        assert np.array_equal(array, pixels())


def test_text_and_back_keeps_pixels_and_regions() -> None:
    one = Picture(pixels(), {"red dot": (0, 0, 2, 2)})
    text = codec().write(one)
    found = codec().read(text)
    assert codec().write(found) == text
    assert np.array_equal(found.pixels, one.pixels)
    assert found.regions == one.regions
    assert codec().write(codec().decode(pixels())) == to_text(Picture(pixels()))


def test_places_are_pixels_and_have_no_names() -> None:
    shapes = np.array([[6, 5, 3], [1, 9, 3]], dtype=np.int32)
    assert codec().lengths(shapes).tolist() == [30, 9]
    assert codec().labels(pixels(), pixels()) == ()


def test_pictures_are_laid_out_from_the_corner() -> None:
    one, other = pixels(2, 4), pixels(3, 1)
    values, mask = codec().pad([one, other])
    assert values.shape == (2, 3, 4, 3)
    assert values.dtype == np.uint8
    assert np.array_equal(values[0, :2], one)
    assert np.array_equal(values[1, :, :1], other)
    assert mask.sum(axis=(1, 2)).tolist() == [8, 3]
    assert not values[~mask].any()


def test_a_picture_that_is_too_large_is_refused_in_every_form() -> None:
    small = codec(most=4)
    for raw in (pixels(), to_text(Picture(pixels())), Picture(pixels())):
        with pytest.raises(DataError, match=r"^x:3: the picture has 5 x 6 pixels; expected 1 to 4"):
            small.encode([raw], ["x:3"])
    with pytest.raises(DataError, match=r"^input: the picture has 5 x 6 pixels"):
        small.read(to_text(Picture(pixels())))


def test_a_path_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "x.png"
    file.write_bytes(b"secret")
    for name in (str(file), file.as_uri()):
        with pytest.raises(DataError, match="Paths and addresses are not opened"):
            codec().read(name)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    codec(most=48).save(tmp_path / "source.json")
    found = Image().load(tmp_path / "source.json")
    assert isinstance(found, ImageCodec)
    assert found.sizing.most == 48
    assert found.describe() == "pictures up to 48 x 48 pixels"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"most": 0}', '{"most": "9"}', '{"most": 9999}'])
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "source.json").write_text(text, encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"source\.json: .* Copy the model folder again"):
        Image().load(tmp_path / "source.json")
    with pytest.raises(CheckpointError, match=r"none\.json: cannot be read"):
        Image().load(tmp_path / "none.json")


def test_a_limit_out_of_range_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"image\.most: found 4096; expected 1 to 1024 pixels"):
        Image(most=4096)


def test_a_picture_cannot_be_written_by_a_model() -> None:
    with pytest.raises(RecipeError, match="ImageCodec can be read but not written"):
        codec().frame([pixels()], [pixels()])
