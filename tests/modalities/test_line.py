"""Lines of print as one side of an example."""

import random
import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.errors import CheckpointError, DataError, RecipeError
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


def grey(width: int, height: int) -> bytes:
    """Write a white picture that takes next to no room."""
    file = BytesIO()
    Image.new("L", (width, height), 255).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("width", "height", "columns"), [(1, 1, 8), (1, 16_384, 1), (8192, 8, 8192), (3, 4000, 1)]
)
def test_odd_sizes_become_lines(tmp_path: Path, width: int, height: int, columns: int) -> None:
    (tmp_path / "a.png").write_bytes(grey(width, height))
    (array,) = codec().encode([PictureFile(tmp_path / "a.png")])
    assert array.shape == (columns, 8)
    assert array.min() == 255


@pytest.mark.parametrize(
    ("width", "height", "said"),
    [
        (20_000, 1, r"the picture has 20,000 x 1 pixels; expected 1 to 16,384"),
        (1, 20_000, r"the picture has 1 x 20,000 pixels; expected 1 to 16,384"),
        (16_000, 1, r"it would be 128,000 wide at a height of 8; expected at most 8,192"),
        (8193, 8, r"it would be 8,193 wide"),
        (12_000, 12_000, r"expected at most 50,000,000 in all"),
    ],
)
def test_sizes_beyond_all_lines_are_refused(
    tmp_path: Path, width: int, height: int, said: str
) -> None:
    data = grey(1, 1)
    if width * height > 1_000_000:  # only the head says so: nothing may be laid out for it
        head = struct.pack(">4sII", b"IHDR", width, height) + data[24:29]
        data = data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]
    else:
        data = grey(width, height)
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(DataError, match=said):
        codec().encode([PictureFile(tmp_path / "a.png")])


def test_broken_files_are_lines_or_refused(tmp_path: Path) -> None:
    chance, path = random.Random(0), tmp_path / "a.png"
    whole = {kind: BytesIO() for kind in ("PNG", "JPEG", "GIF", "WEBP")}
    for kind, file in whole.items():
        Image.fromarray(pixels(12, 40)).save(file, kind)
    named, shapes = list[bool](), list[tuple[int, ...]]()
    for turn in range(240):
        data = bytearray(whole[chance.choice(list(whole))].getvalue())
        if turn % 2:
            data = data[: chance.randrange(len(data))]
        for _ in range(chance.randrange(6)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            (array,) = codec().encode([PictureFile(path)])
        except DataError as error:
            named.append("a.png" in str(error))
        else:
            shapes.append(array.shape)
    assert all(named)
    assert all(width <= 8192 and height == 8 for width, height in shapes)
    assert len(named) > 50
    assert len(shapes) > 20
