"""Where a model looked in a picture, as SVG and in the terminal."""

import base64
import io
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.image import imread

from saccade.errors import ShapeError
from saccade.modalities._picture import Picture, from_text, to_text
from saccade.views import picture
from saccade.views.cells import Box
from saccade.views.drawing import AttentionMap
from saccade.views.picture_look import Pixels
from tests.views.pictures import BAD, anything, parts, plain, sound, tips

Floats = npt.NDArray[np.float64]


def pixels(height: int = 8, width: int = 8) -> Pixels:
    random = np.random.default_rng(height * 100 + width)
    return random.integers(0, 256, (height, width, 3), dtype=np.uint8)


def soft(T: int, height: int = 2, width: int = 2) -> Floats:
    scores = np.exp(np.random.default_rng(T).normal(size=(T, height, width)) * 2)
    return np.asarray(scores / scores.sum(axis=(1, 2), keepdims=True))


def test_the_picture_stands_before_the_words_and_under_each() -> None:
    shown = pixels()
    drawn = picture.to_svg(shown, soft(3), list("abc"), smoothly=False)
    (image,) = parts(drawn, "image")
    assert np.array_equal(from_text(image.get("href", "")).pixels, shown)
    assert [use.get("href") for use in parts(drawn, "use")] == [f"#{image.get('id')}"] * 3


def test_a_smooth_veil_is_dark_but_where_the_weight_lies() -> None:
    weights = np.zeros((1, 4, 4))
    weights[0, 0, 3] = 1.0
    (_, veil) = parts(picture.to_svg(pixels(32, 32), weights, ["x"]), "image")
    file = base64.b64decode(veil.get("href", "").partition(",")[2])
    grey, opacity = imread(io.BytesIO(file))[..., 0], imread(io.BytesIO(file))[..., 3]
    assert (int(grey.argmax()), len(grey)) == (31, 32)  # the last of the first row
    assert opacity[-1, 0] == pytest.approx(0.65, abs=0.01)
    assert opacity[0, -1] == pytest.approx(0.4, abs=0.01)
    assert np.abs(np.diff(grey, axis=1)).max() < 0.2  # no edges


def test_a_large_picture_is_made_small_in_a_document() -> None:
    (image, _) = parts(picture.to_svg(pixels(600, 300), soft(1), ["x"]), "image")
    assert from_text(image.get("href", "")).pixels.shape == (200, 100, 3)


def test_what_is_spread_is_told_below_each_word() -> None:
    weights = np.stack([np.full((4, 4), 1 / 16), np.eye(16)[3].reshape(4, 4)])
    said = ["4.0 bits, top 5 31%", "0.0 bits, top 5 100%"]
    drawn = picture.to_svg(pixels(), weights, ["of", "dog"])
    assert [t.text for t in parts(drawn, "text") if "bits," in (t.text or "")] == said
    for colour in (True, False):
        shown = plain(picture.to_terminal(pixels(), weights, ["of", "dog"], colour=colour))
        assert "   ".join(said) in shown
        assert "at most 4.0" in shown


def test_maps_stand_below_each_other_under_their_names() -> None:
    maps = {
        name: AttentionMap(soft(2).reshape(2, 4), (), ("a", "b"), (2, 2), Picture(pixels()), name)
        for name in ("chosen", "probability")
    }
    drawn = picture.draw_several(maps)
    titles = [t.text for t in parts(drawn.svg, "text") if t.get("class") == "title"]
    assert titles == ["chosen", "probability"]
    assert drawn.svg.count("<style>") == 1
    assert len(parts(drawn.svg, "svg")) == 3  # two in one
    assert [line for line in drawn.terminal(60).split("\n") if line in maps] == [*maps]
    for form in (".png", ".pdf"):
        assert drawn.encoded(form)


def test_a_cell_tells_its_word_place_and_weight() -> None:
    weights = np.array([[[0.25, 0.75]], [[1.0, np.nan]]])
    drawn = picture.to_svg(pixels(4, 8), weights, ["red", "circle"], smoothly=False)
    assert tips(drawn) == ["red: 0.25", "red: 0.75", "circle: 1.00", "circle: not finite"]
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    said = [[cell.get(f"data-{name}") for name in ("row", "column", "value")] for cell in cells]
    assert said == [["0", "0", "0.25"], ["0", "1", "0.75"], ["1", "0", "1"], ["1", "1", ""]]
    assert cells[3].get("class") == "void"


def test_more_weight_is_less_veil() -> None:
    drawn = picture.to_svg(pixels(), np.array([[[0.0, 0.2], [0.8, 1.0]]]), ["x"], smoothly=False)
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    opacity = [float(cell.get("fill-opacity", "-1")) for cell in cells]
    assert opacity == sorted(opacity, reverse=True)
    assert opacity[-1] == 0.0


def test_cells_at_the_edge_are_cut_with_the_picture() -> None:
    drawn = picture.to_svg(
        pixels(9, 10), soft(1, 3, 3), ["x"], smoothly=False
    )  # cells of 3 x 4 pixels
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    image = parts(drawn, "image")[0]
    for side, start in (("width", "x"), ("height", "y")):
        ends = {float(cell.get(start, "")) + float(cell.get(side, "")) for cell in cells}
        assert max(ends) == float(image.get(side, ""))


def test_the_box_of_a_word_is_outlined_and_its_share_said() -> None:
    weights = np.array([[[0.75, 0.25], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
    boxes: dict[int, Box] = {0: (0, 0, 4, 4)}
    drawn = picture.to_svg(pixels(), weights, ["circle", "above"], boxes=boxes)
    (outline,) = (rect for rect in parts(drawn, "rect") if rect.get("class") == "s1")
    half = float(parts(drawn, "image")[0].get("width", "")) / 2
    assert float(outline.get("width", "")) == half
    assert [t.text for t in parts(drawn, "text") if "in its" in (t.text or "")] == [
        "75% in its box"
    ]
    shown = plain(picture.to_terminal(pixels(), weights, ["a", "b"], boxes=boxes, colour=True))
    assert shown.count("75% in its box") == 1


def test_the_plain_picture_reads_as_expected() -> None:
    weights = np.zeros((2, 3, 4))
    weights[0, 1, 1], weights[0, 1, 2], weights[1, 0, 3] = 0.5, 0.125, 1.0
    boxes: dict[int, Box] = {0: (4, 4, 12, 8)}
    drawn = picture.to_terminal(
        pixels(12, 16), weights, ["circle", "of"], boxes=boxes, colour=False, width=44
    )
    assert drawn.split("\n") == [
        "circle                of",
        " . . . .               . . . @",
        " .[+ :].               . . . .",
        " . . . .               . . . .",
        "0.7 bits, top 5 100%  0.0 bits, top 5 100%",
        "100% in its box",
        "",
        "0 .:-=+*#%@ 1",
        "bits: entropy of the weights, at most 3.6",
        "top 5: share of the 5 heaviest of 12 cells",
        "",
    ]


def test_the_picture_in_colour_is_dark_where_there_is_no_weight() -> None:
    pale = np.full((4, 4, 3), 200, dtype=np.uint8)
    drawn = picture.to_terminal(
        pale, np.array([[[1.0, 0.0], [0.0, 0.0]]]), ["x"], colour=True, smoothly=False
    )
    line = drawn.split("\n")[1]
    inks = re.findall(r"38;2;(\d+);\d+;\d+;48;2;(\d+)", line)
    assert [ink for ink, _ in inks] == ["200", "200", "30", "30"]  # 15 % of the light is left


def test_a_large_picture_is_averaged() -> None:
    half = np.zeros((80, 80, 3), dtype=np.uint8)
    half[:, ::2] = 200
    drawn = picture.to_terminal(half, np.full((1, 1, 1), 1.0), ["x"], colour=True, smoothly=False)
    lines = drawn.split("\n")[1:11]
    assert all(line.count("▀") == 20 for line in lines)
    assert set(re.findall(r"38;2;(\d+)", drawn)) == {"100"}


@settings(deadline=None, max_examples=60)
@given(
    st.lists(anything, max_size=5),
    anything,
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.booleans(),
    st.booleans(),
)
def test_any_words_and_sizes_give_sound_pictures(
    words: list[str],
    title: str,
    size: tuple[int, int],
    grid: tuple[int, int],
    colour: bool,
    smoothly: bool,
) -> None:
    weights = soft(len(words), *grid)
    boxes: dict[int, Box] = {0: (-1, 0, 60, 2.5)} if words else {}
    how: dict[str, Any] = {"boxes": boxes, "smoothly": smoothly}
    parts(picture.to_svg(pixels(*size), weights, words, title=title, **how), "image")
    drawn = picture.to_terminal(pixels(*size), weights, words, colour=colour, width=24, **how)
    sound(drawn, 24)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("width", [20, 41, 100])
def test_the_terminal_width_is_kept(width: int, colour: bool) -> None:
    drawn = picture.to_terminal(
        pixels(64, 64), soft(9, 16, 16), ["w"] * 9, colour=colour, width=width
    )
    sound(drawn, width)


def test_a_map_of_a_prediction_is_drawn_with_the_regions_of_its_picture() -> None:
    seen = Picture(pixels(), {"red dot": (0, 0, 4, 4), "blue dot": (4, 4, 8, 8)})
    weights = np.array([[0.5, 0.5, 0, 0], [0.75, 0.25, 0, 0], [1.0, 0, 0, 0]])  # [T, S]
    one = AttentionMap(weights, (), ("▁a", "▁red", "▁dot"), (2, 2), to_text(seen), title="look")
    drawn = picture.draw(one)
    assert [t.text for t in parts(drawn.svg, "text") if "in its" in (t.text or "")] == [
        "75% in its box",
        "100% in its box",
    ]
    assert drawn.terminal(60).count("in its box") == 2
    assert "look" in drawn.svg


def test_script_in_a_word_is_only_text() -> None:
    assert "<script" not in picture.to_svg(pixels(), soft(1), [BAD], title=BAD)


def test_the_same_input_gives_the_same_picture() -> None:
    drawn = [picture.to_svg(pixels(), soft(2), list("ab")) for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"the picture has shape \[8, 8\]; expected \[H, W"):
        picture.to_svg(pixels()[..., 0], soft(1), ["x"])
    with pytest.raises(ShapeError, match=r"shape \[2, 2, 2\]; 1 words need \[1, H', W'\]"):
        picture.to_svg(pixels(), soft(2), ["x"])
    with pytest.raises(ShapeError, match=r"to_terminal: weights have shape \[2, 2\]; 2 words"):
        picture.to_terminal(pixels(), soft(1)[0], ["x", "y"], colour=False)
    with pytest.raises(ShapeError, match="width is 10 columns; at least 20 are needed"):
        picture.to_terminal(pixels(), soft(1), ["x"], colour=False, width=10)
