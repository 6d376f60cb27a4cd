"""Lines of print as one side of an example."""

import random
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import CheckpointError, RecipeError
from saccade.modalities import _png
from saccade.modalities._picture import Picture, PictureFile, Pixels, to_text
from saccade.modalities.line import LineImage, LineImageCodec


def pixels(height: int = 8, width: int = 5) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def codec(height: int = 8) -> LineImageCodec:
    found = LineImage(height=height).fit([[]])
    assert isinstance(found, LineImageCodec)
    return found


def test_a_place_is_a_column(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(_png.encode(pixels()))
    forms = [pixels(), to_text(Picture(pixels())), Picture(pixels())]
    arrays = [*codec().encode(forms), *codec().encode([PictureFile(tmp_path / "a.png")])]
    for array in arrays:
        assert array.shape == (5, 8)
        assert array.dtype == np.uint8
        assert np.array_equal(array, arrays[0])
    shown = codec().decode(arrays[0])
    assert shown.pixels.shape == (8, 5, 3)
    assert np.array_equal(codec().encode([shown])[0], arrays[0])
    assert codec().labels(shown, arrays[0]) == ()


def test_lines_are_laid_out_from_the_left() -> None:
    values, mask = codec().pad([np.ones((2, 8), np.uint8), np.ones((3, 8), np.uint8)])
    assert values.shape == (2, 3, 8)
    assert mask.tolist() == [[True, True, False], [True, True, True]]
    assert not values[~mask].any()
    assert codec().pad([]).values.shape == (0, 0, 8)


def test_a_line_is_shown_as_the_model_sees_it() -> None:
    text = codec(4).write(pixels())
    found = codec(4).read(text)
    assert found.pixels.shape == (4, 2, 3)
    assert codec(4).write(found) == text


def test_training_sees_other_lines_of_the_same_height() -> None:
    varied = LineImage(height=8, random_stretch=0.5, random_shear=0.2)
    found = varied.fit([[]])
    array = found.encode([pixels(8, 40)])[0]
    others = [found.vary(array, random.Random(seed)) for seed in range(5)]
    assert varied.varies
    assert found.varies
    assert {other.shape[1] for other in others} == {8}
    assert len({other.shape[0] for other in others}) > 1
    assert codec().vary(array, random.Random(1)) is array
    assert found.fingerprint == codec().fingerprint  # what is stored is the same


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    codec(48).save(tmp_path / "source.json")
    found = LineImage(random_blur=1.0).load(tmp_path / "source.json")
    assert isinstance(found, LineImageCodec)
    assert (found.height, found.varies, found.side.size) == (48, True, 48)
    assert found.describe() == "lines of 48 grey pixels"
    adopted = LineImage().adopt(found)
    assert isinstance(adopted, LineImageCodec)
    assert (adopted.height, adopted.varies) == (48, False)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"height": 0}', '{"height": "9"}'])
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "source.json").write_text(text, encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"source\.json: .* Copy the model folder again"):
        LineImage().load(tmp_path / "source.json")


def test_sizes_out_of_range_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"line\.height: found 512; expected 1 to 256 pixels"):
        LineImage(height=512)
    with pytest.raises(RecipeError, match=r"line\.max_width: found 0; expected 1 to 8192 columns"):
        LineImage(max_width=0)
