"""Spikes over a sound, a line of print and text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import RecipeError, ShapeError
from saccade.modalities._picture import Picture, to_text
from saccade.modalities._sound import Sound
from saccade.modalities._sound import to_text as sound_text
from saccade.views import paper, spikes
from saccade.views.drawing import AttentionMap
from saccade.views.spikes import Backdrop
from tests.hummed import hum
from tests.lines import printed
from tests.views.pictures import BAD, anything, parts, sound, tips

SPIKES = np.array([[0.0, 1.0, 0, 0, 0, 0], [0, 0, 0, 0, 0.5, 0.5]])
SOUND = sound_text(Sound(hum("21"), 8000), 0.02)
LINE = to_text(Picture(printed("abcd")))


@pytest.mark.parametrize(
    ("view", "raw", "source", "grid"),
    [
        ("spectrogram", SOUND, (), (1, 6)),
        ("picture", LINE, (), (1, 6)),
        ("heatmap", "abcdef", tuple("abcdef"), (6,)),
    ],
)
def test_a_line_rises_where_a_symbol_is(
    view: str, raw: str, source: tuple[str, ...], grid: tuple[int, ...]
) -> None:
    one = AttentionMap(SPIKES, source, ("x", "y"), grid, raw, title="Spikes")
    drawn = spikes.draw(view, one)
    first, second = (line.get("points", "").split() for line in parts(drawn.svg, "polyline"))
    heights = [[float(point.split(",")[1]) for point in points] for points in (first, second)]
    assert len(set(map(min, heights))) == 2  # one is twice as high
    peak = min(first, key=lambda point: float(point.split(",")[1])).split(",")[0]
    names = {text.text: text.get("x") for text in parts(drawn.svg, "text")}
    assert names["x"] == peak
    assert len(parts(drawn.svg, "image")) == (not source)
    assert tips(drawn.svg)[0] == "x: 1.00 of the height, place 2"
    rows = drawn.terminal(40).splitlines()
    assert rows[0].strip() == "x"
    assert rows[0].index("x") == rows[2].index("█")
    assert rows[-1] == "full height: 1"
    assert paper.printed(drawn.svg, "png")[:4] == b"\x89PNG"


def test_times_are_those_of_the_sound() -> None:
    drawn = spikes.draw("spectrogram", AttentionMap(SPIKES, (), ("x", "y"), (1, 6), SOUND))
    marks = [(t.text, float(t.get("x", "0"))) for t in parts(drawn.svg, "text")]
    (zero,) = (x for text, x in marks if text == "0 s")
    assert zero > 44.0 + 10  # behind the silence that a model puts before it
    assert "0.1 s" in [text for text, _ in marks]


@settings(deadline=None, max_examples=30)
@given(st.lists(anything, min_size=1, max_size=4), st.integers(1, 90), st.integers(20, 100))
def test_any_words_keep_to_the_width(words: list[str], n: int, width: int) -> None:
    weights = np.random.default_rng(n).dirichlet(np.ones(n), len(words))
    backdrop = Backdrop(np.full((3, 9), 0.5), "", marks=((0.0, "0 s"), (0.9, "long mark")))
    sound(spikes.to_terminal(weights, words, backdrop, width=width), width)
    assert BAD not in spikes.to_svg(weights, [*words[1:], BAD], backdrop, title=BAD)


def test_what_is_no_line_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"spikes stand along a line, but the places .* 2 rows"):
        spikes.draw("picture", AttentionMap(SPIKES, (), ("x", "y"), (2, 3), LINE))
    with pytest.raises(ShapeError, match=r"spikes.to_svg: weights have shape \[2, 6\]; 1 symbols"):
        spikes.to_svg(SPIKES, ["x"], None)
