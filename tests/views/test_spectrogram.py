"""When a model listened, as SVG and in the terminal."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError, ShapeError
from saccade.modalities._picture import from_text
from saccade.modalities._sound import Sound, to_text
from saccade.views import spectrogram
from saccade.views.drawing import AttentionMap, draw_attention, draw_maps
from saccade.views.spectrogram import Spectrum, spectrum_of
from tests.views.pictures import BAD, anything, parts, plain, sound, tips

RATE = 8000


def tone(hertz: float = 500, seconds: float = 0.5) -> Sound:
    samples = 9000 * np.sin(2 * np.pi * hertz * np.arange(int(RATE * seconds)) / RATE)
    return Sound(samples.astype(np.int16), RATE)


SPECTRUM = spectrum_of(to_text(tone()))


def soft(T: int, S: int) -> Any:
    scores = np.exp(np.random.default_rng(T).normal(size=(T, S)) * 2)
    return scores / scores.sum(axis=1, keepdims=True)


def test_a_tone_is_a_line_in_the_picture() -> None:
    drawn = spectrogram.to_svg(SPECTRUM, soft(2, 12), ["a", "b"])
    (image,) = parts(drawn, "image")
    pixels = from_text(image.get("href", "")).pixels[:, :, 0]
    assert pixels.shape == SPECTRUM.levels.T.shape
    darkest = set(pixels.argmin(axis=0).tolist())
    assert len(darkest) == 1
    high = spectrum_of(to_text(tone(3000)))
    assert high.levels[9].argmax() > SPECTRUM.levels[9].argmax()


def test_the_silence_of_a_model_is_drawn_too() -> None:
    around = spectrum_of(to_text(tone(), silence=0.1))
    assert around.seconds == pytest.approx(SPECTRUM.seconds + 0.2)
    assert not around.levels[0].any()
    assert around.levels[20].any()


@pytest.mark.parametrize("n", [1, 100])
def test_any_sound_has_a_spectrum(n: int) -> None:
    found = spectrum_of(to_text(Sound(np.zeros(n, np.int16), RATE)))
    assert found.levels.shape == (1, 40)
    assert not found.levels.any()


def test_a_cell_tells_its_word_time_and_weight() -> None:
    weights = np.array([[0.25, 0.75, 0.0], [1.0, np.nan, 0.0]])
    drawn = spectrogram.to_svg(Spectrum(SPECTRUM.levels, 0.6), weights, ["it", "falls"])
    assert tips(drawn) == [
        "it at 0.10: 0.25",
        "it at 0.30: 0.75",
        "falls at 0.10: 1.00",
        "falls at 0.30: not finite",
    ]
    cells = [rect for rect in parts(drawn, "rect") if len(rect)]
    assert [cell.get("data-column") for cell in cells] == ["0", "1", "0", "1"]


def test_words_stand_above_their_spikes() -> None:
    weights = np.zeros((2, 10))
    weights[0, 2] = weights[1, 7] = 1.0
    drawn = spectrogram.to_svg(SPECTRUM, weights, ["one", "two"])
    lines = [float(line.get("x1", "")) for line in parts(drawn, "line")]
    said = [t for t in parts(drawn, "text") if t.text in ("one", "two") and t.get("y") == "32"]
    assert [float(text.get("x", "")) for text in said] == lines
    assert lines[0] < lines[1]


def test_nothing_in_a_word_escapes() -> None:
    assert BAD not in spectrogram.to_svg(SPECTRUM, soft(1, 4), [BAD], title=BAD)


@settings(deadline=None, max_examples=25)
@given(st.lists(anything, min_size=1, max_size=4), st.integers(1, 90), st.integers(20, 120))
def test_a_terminal_keeps_to_its_width(words: list[str], n: int, width: int) -> None:
    given = (SPECTRUM, soft(len(words), n), words)
    sound(spectrogram.to_terminal(*given, colour=True, width=width), width)
    drawn = spectrogram.to_terminal(*given, colour=False, width=width)
    sound(drawn, width)
    assert "0 ·░▒▓█" in plain(drawn)


def test_a_terminal_shows_the_largest_weight_of_a_column() -> None:
    weights = np.zeros((1, 500))
    weights[0, 250], weights[0, 400] = 1.0, np.nan
    drawn = spectrogram.to_terminal(SPECTRUM, weights, ["x"], colour=False, width=48)
    (row,) = [line for line in drawn.splitlines() if line.startswith("x ")]
    assert row.count("█") == 1
    assert row.count("?") == 1
    assert drawn.startswith("seconds 0")


def test_a_view_is_found_by_its_name() -> None:
    one = AttentionMap(soft(2, 12), (), ("a", "b"), (1, 12), to_text(tone()))
    assert "image" in draw_attention("spectrogram", one).svg
    both = draw_maps("spectrogram", {"layer 1": one, "layer 2": one})
    assert both.terminal(60).count("seconds") == 2
    with pytest.raises(DataError, match=r"sound: found 'no sound'; expected a sound as text"):
        draw_attention("spectrogram", AttentionMap(soft(1, 2), (), ("a",), (1, 2), "no sound"))


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"to_svg: weights have shape \[2, 4\]; 1 words need \[1,"):
        spectrogram.to_svg(SPECTRUM, soft(2, 4), ["a"])
    with pytest.raises(ShapeError, match=r"the spectrum has shape \[0, 40\] and lasts 0 seconds"):
        spectrogram.to_svg(Spectrum(np.zeros((0, 40)), 0.0), soft(1, 4), ["a"])
