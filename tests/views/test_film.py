"""When a model looked at a clip, as SVG and in the terminal."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError, ShapeError
from saccade.modalities._clip import Clip, Span, to_text
from saccade.modalities._picture import from_text
from saccade.views import film
from saccade.views.drawing import AttentionMap, draw_attention
from tests.views.pictures import BAD, anything, parts, plain, sound, tips

Floats = npt.NDArray[np.float64]


def clip(n: int = 3, size: tuple[int, int] = (4, 4), *, timed: bool = True) -> Clip:
    random = np.random.default_rng(n)
    frames = random.integers(0, 256, (n, *size, 3), dtype=np.uint8)
    return Clip(frames, tuple(range(0, 100 * n, 100)) if timed else ())


def soft(T: int, F: int, rows: int = 1) -> Floats:
    scores = np.exp(np.random.default_rng(T).normal(size=(T, rows, F)) * 2)
    return np.asarray(scores / scores.sum(axis=(1, 2), keepdims=True))


def test_every_frame_stands_once_below_its_time() -> None:
    shown = clip(4)
    drawn = film.to_svg(shown, soft(2, 4), ["it", "falls"])
    images = [from_text(image.get("href", "")).pixels for image in parts(drawn, "image")]
    assert np.array_equal(np.stack(images), shown.frames)
    said = [text.text for text in parts(drawn, "text")]
    assert said[:5] == ["seconds", "0.0", "0.1", "0.2", "0.3"]
    numbers = [t.text for t in parts(film.to_svg(clip(2, timed=False), soft(1, 2), ["x"]), "text")]
    assert numbers[:3] == ["frame", "1", "2"]


def test_a_cell_tells_its_word_place_and_weight() -> None:
    weights = np.array([[[0.25, 0.75]], [[1.0, np.nan]]])
    drawn = film.to_svg(clip(2), weights, ["it", "falls"])
    assert tips(drawn) == [
        "it at 0.0: 0.25",
        "it at 0.1: 0.75",
        "falls at 0.0: 1.00",
        "falls at 0.1: not finite",
    ]
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    said = [[cell.get(f"data-{name}") for name in ("row", "column", "value")] for cell in cells]
    assert said == [["0", "0", "0.25"], ["0", "1", "0.75"], ["1", "0", "1"], ["1", "1", ""]]
    assert [cell.get("class") for cell in cells] == ["hue", "hue", "hue", "void"]


def test_two_networks_have_two_rows_of_a_word() -> None:
    drawn = film.to_svg(clip(2), np.array([[[0.1, 0.2], [0.3, 0.4]]]), ["it"])
    assert tips(drawn)[1:3] == ["it at 0.1, network 1: 0.20", "it at 0.0, network 2: 0.30"]
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    assert [cell.get("data-column") for cell in cells] == ["0", "1", "2", "3"]
    assert cells[0].get("x") == cells[2].get("x")
    assert cells[0].get("y") != cells[2].get("y")


def test_the_frames_of_a_word_are_outlined_and_their_share_said() -> None:
    weights = np.array([[[0.1, 0.6, 0.3]], [[1.0, 0.0, 0.0]]])
    spans: dict[int, Span] = {0: (1, 3)}
    drawn = film.to_svg(clip(3), weights, ["falls", "then"], spans=spans)
    (outline,) = (rect for rect in parts(drawn, "rect") if rect.get("class") == "s1")
    image = parts(drawn, "image")
    assert float(outline.get("x", "")) == float(image[1].get("x", "")) - 1
    assert [t.text for t in parts(drawn, "text") if "%" in (t.text or "")] == ["90% in its frames"]
    shown = film.to_terminal(clip(3), weights, ["falls", "then"], spans=spans, colour=False)
    assert shown.count("90% in its frames") == 1


def test_the_share_is_of_the_weight_there_is() -> None:
    assert film.share_in_frames(np.zeros((1, 3)), (0, 2)) == 0.0
    assert film.share_in_frames(np.array([[np.nan, 0.5, 0.5]]), (0, 2)) == 0.5
    assert film.share_in_frames(np.array([[0.1, 0.0], [0.4, 0.5]]), (0, 1)) == pytest.approx(0.5)


def test_the_plain_strip_reads_as_expected() -> None:
    weights = np.array([[[1.0, 0.0, 0.5]], [[0.0, np.nan, 1.0]]])
    drawn = film.to_terminal(clip(3), weights, ["falls", "then"], colour=False, width=24)
    assert drawn.split("\n") == [
        "seconds 0.0  0.1  0.2",
        "falls   ████ ···· ▒▒▒▒",
        "then    ···· ???? ████",
        "",
        "0 ·░▒▓█ 1.00",
        "",
    ]


def test_the_strip_in_colour_shows_the_frames() -> None:
    shades = np.repeat(np.array([10, 200], np.uint8), 48).reshape(2, 4, 4, 3)
    drawn = film.to_terminal(Clip(shades), soft(1, 2), ["x"], colour=True, width=40)
    assert "38;2;10;10;10;48;2;10;10;10m▀" in drawn
    assert "38;2;200;200;200;48;2;200;200;200m▀" in drawn
    assert "x" in plain(drawn)


def test_a_long_clip_is_broken_into_strips() -> None:
    drawn = film.to_terminal(clip(30), soft(2, 30), ["it", "falls"], colour=False, width=40)
    assert drawn.count("seconds") == 4
    sound(drawn, 40)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(anything, max_size=5),
    anything,
    st.integers(1, 20),
    st.tuples(st.integers(1, 30), st.integers(1, 30)),
    st.integers(1, 2),
    st.booleans(),
)
def test_any_words_and_sizes_give_sound_pictures(
    words: list[str], title: str, n: int, size: tuple[int, int], rows: int, colour: bool
) -> None:
    weights = soft(len(words), n, rows)
    spans: dict[int, Span] = {0: (0, 1)} if words else {}
    parts(film.to_svg(clip(n, size), weights, words, spans=spans, title=title), "image")
    drawn = film.to_terminal(clip(n, size), weights, words, spans=spans, colour=colour, width=24)
    sound(drawn, 24)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("width", [20, 41, 100])
def test_the_terminal_width_is_kept(width: int, colour: bool) -> None:
    drawn = film.to_terminal(clip(12, (28, 28)), soft(9, 12), ["w"] * 9, colour=colour, width=width)
    sound(drawn, width)


def test_a_map_of_a_prediction_is_drawn_with_what_happens_in_its_clip() -> None:
    seen = Clip(clip(3).frames, (0, 100, 200), {"a 3 falls": (1, 3)})
    weights = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    one = AttentionMap(weights, (), ("▁a", "▁3", "▁falls", ","), (1, 3), seen, title="look")
    drawn = draw_attention("film", one)
    assert [t.text for t in parts(drawn.svg, "text") if "%" in (t.text or "")] == [
        "50% in its frames",
        "100% in its frames",
        "100% in its frames",
    ]
    assert drawn.terminal(60).count("in its frames") == 3
    assert "look" in drawn.svg


def test_script_in_a_word_is_only_text() -> None:
    assert "<script" not in film.to_svg(clip(), soft(1, 3), [BAD], title=BAD)


def test_the_same_input_gives_the_same_picture() -> None:
    drawn = [film.to_svg(clip(), soft(2, 3), list("ab")) for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"the clip has shape \[3, 4, 4\]; expected \[F, H, W, 3"):
        film.to_svg(Clip(clip().frames[..., 0]), soft(1, 3), ["x"])
    with pytest.raises(ShapeError, match=r"shape \[1, 1, 2\]; 1 words and 3 frames need \[1, R, 3"):
        film.to_svg(clip(), soft(1, 2), ["x"])
    with pytest.raises(ShapeError, match="width is 10 columns; at least 20 are needed"):
        film.to_terminal(clip(), soft(1, 3), ["x"], colour=False, width=10)
    with pytest.raises(DataError, match=r"clip: begins with b''; expected GIF, PNG or WEBP"):
        film.draw(AttentionMap(soft(1, 3)[0], (), ("x",), (1, 3), "data:image/gif;base64,"))


def test_text_array_and_clip_are_drawn_alike() -> None:
    seen, weights = clip(3, timed=False), soft(1, 3)[0]
    given = (seen, seen.frames, to_text(seen))
    drawn = [film.draw(AttentionMap(weights, (), ("x",), (1, 3), raw)).svg for raw in given]
    assert drawn[0] == drawn[1] == drawn[2]


def test_several_maps_stand_one_below_the_other() -> None:
    seen, one = clip(3), soft(2, 3)[0]
    maps = {name: AttentionMap(one, (), ("x",), (1, 3), seen) for name in ("head 1", "head 2")}
    drawn = film.draw_several(maps)
    assert len(parts(drawn.svg, "image")) == 6
    assert "head 2" in drawn.terminal(60)


def test_the_frames_stand_side_by_side_in_a_strip() -> None:
    few = clip(3, (4, 5))
    found = from_text(film.strip(few), most=1 << 16).pixels
    assert (found == np.concatenate(list(few.frames), axis=1)).all()
    large = from_text(film.strip(clip(2, (200, 100))), most=1 << 16).pixels
    assert large.shape == (50, 2 * 25, 3)  # every fourth row and column
