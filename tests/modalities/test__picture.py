"""Pictures as text: what is written is read with its regions, and nothing is opened or believed."""

import base64
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.modalities import _png
from saccade.modalities._picture import PREFIX, Box, Picture, Pixels, as_picture, from_text, to_text

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def pixels(height: int = 6, width: int = 5) -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(st.integers(0, 900)), draw(st.integers(0, 900))
    return left, top, left + draw(st.integers(1, 99)), top + draw(st.integers(1, 99))


@given(st.dictionaries(names, boxes(), max_size=5))
def test_what_is_written_is_read(regions: dict[str, Box]) -> None:
    found = from_text(to_text(Picture(pixels(), regions)))
    assert np.array_equal(found.pixels, pixels())
    assert found.regions == regions


def test_text_is_a_png_that_others_read() -> None:
    text = to_text(Picture(pixels()))
    assert text.startswith(PREFIX)
    assert base64.b64decode(text.removeprefix(PREFIX)) == _png.encode(pixels())


def test_words_of_a_name_have_its_box() -> None:
    regions: dict[str, Box] = {"red circle": (0, 0, 2, 2), "small red square": (2, 2, 5, 6)}
    words = ("a", "red", "circle", "above", "a", "small", "red", "square")
    found = Picture(pixels(), regions).boxes(words)
    assert {words[i]: box for i, box in found.items() if i > 3} == dict.fromkeys(
        ("small", "red", "square"), (2, 2, 5, 6)
    )
    assert {i: box for i, box in found.items() if i < 4} == dict.fromkeys((1, 2), (0, 0, 2, 2))


def test_a_name_that_is_not_said_as_a_whole_has_no_box() -> None:
    regions: dict[str, Box] = {"red circle": (0, 0, 2, 2)}
    for said in ("a red square", "red", "circle red", ""):
        assert Picture(pixels(), regions).boxes(tuple(said.split())) == {}


def test_a_raw_value_may_be_any_form_of_a_picture() -> None:
    one = Picture(pixels(), {"dot": (0, 0, 1, 1)})
    assert as_picture(one) is one
    assert as_picture(to_text(one)).regions == one.regions
    assert np.array_equal(as_picture(pixels()).pixels, pixels())
    assert as_picture(pixels()).regions == {}


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((4, 5, 3)), r"an array \[4, 5, 3\] of float64; expected a picture \[H, W, 3\]"),
        (np.zeros((4, 5), dtype=np.uint8), r"an array \[4, 5\] of uint8"),
        (np.zeros((4, 5, 4), dtype=np.uint8), r"an array \[4, 5, 4\]"),
        (np.zeros((0, 5, 3), dtype=np.uint8), r"an array \[0, 5, 3\]"),
    ],
)
def test_an_array_that_is_no_picture_is_refused(array: Pixels, said: str) -> None:
    with pytest.raises(DataError, match=f"^line 3: {said}"):
        as_picture(array, "line 3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found ''; expected a picture as text that begins with data:image/png"),
        ("/etc/passwd", "found '/etc/passwd'; .* Paths and addresses are not opened"),
        ("https://example.org/a.png", "Paths and addresses are not opened"),
        ("data:image/svg+xml;base64,AAAA", "expected a picture as text that begins with data:im"),
        (PREFIX + "AAA", "is not base64 .*; expected A-Z"),
        (PREFIX + "AA=A", "is not base64"),
        (PREFIX + "é", "is not base64"),
        (PREFIX + "AAAA", "begins with .* expected the signature of a PNG"),
    ],
)
def test_text_that_is_no_picture_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=f"^line 3: .*{said}"):
        from_text(text, "line 3")


def test_a_picture_that_is_too_large_is_refused() -> None:
    with pytest.raises(DataError, match="the picture has 5 x 6 pixels; expected 1 to 4 each way"):
        from_text(to_text(Picture(pixels())), most=4)
    with pytest.raises(DataError, match="characters; expected a picture of at most 8 x 8 pixels"):
        from_text(PREFIX + "A" * 100_000, most=8)


def test_the_prefix_may_have_capitals_and_space_around() -> None:
    text = to_text(Picture(pixels())).replace("image", "Image", 1)
    assert np.array_equal(from_text(f" {text}\n").pixels, pixels())


@pytest.mark.parametrize(
    "regions",
    [
        *("[]", "3", "null", '"x"', "{", "[" * 100_000, '{"a": 1}', '{"a": [1, 2, 3]}'),
        *('{"a": [0, 0, 0, 1]}', '{"a": [0, 0, 2000, 1]}', '{"a": [-1, 0, 1, 1]}'),
        *('{"a": [0, 0, 1.5, 1]}', '{"a": [0, 0, true, 1]}', '{"a": "0011"}', '{"a": null}'),
    ],
)
def test_regions_that_cannot_be_read_are_refused(regions: str) -> None:
    data = _png.encode(pixels(), {"saccade-regions": regions[:60_000]})
    with pytest.raises(DataError, match="the regions of the picture cannot be read"):
        from_text(PREFIX + base64.b64encode(data).decode())


def test_too_many_regions_are_refused() -> None:
    data = _png.encode(
        pixels(), {"saccade-regions": json.dumps({str(i): [0, 0, 1, 1] for i in range(101)})}
    )
    with pytest.raises(DataError, match="has 101 regions; expected at most 100"):
        from_text(PREFIX + base64.b64encode(data).decode())


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_any_regions_are_read_or_refused(regions: str) -> None:
    data = _png.encode(pixels(), {"saccade-regions": regions})
    with suppress(DataError):
        from_text(PREFIX + base64.b64encode(data).decode())
