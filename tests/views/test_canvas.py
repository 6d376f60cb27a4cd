"""A canvas as a film strip."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.modalities._picture import from_text
from saccade.views import canvas
from saccade.views.canvas import CanvasStep
from tests.views.pictures import parts, sound, tips

SHADES = np.linspace(0, 1, 20 * 30).reshape(20, 30)
STEP = CanvasStep(SHADES, (4.0, 6.0, 12.0, 14.0), (0.0, 0.0, 20.0, 30.0))


def test_every_step_is_a_frame_with_its_windows() -> None:
    drawn = canvas.to_svg([STEP] * 9, title="Drawn")
    assert len(parts(drawn, "image")) == 9
    assert tips(drawn)[:2] == ["read: rows 0 to 20", "written: rows 4 to 12"]
    first, last = (parts(drawn, "image")[n] for n in (0, 8))
    assert first.get("x") == last.get("x")  # eight in a row
    square = parts(drawn, "rect")[2]
    zoom = 84 / 30
    assert float(square.get("x", "")) == pytest.approx(20 + 6 * zoom, abs=0.01)
    assert float(square.get("width", "")) == pytest.approx(8 * zoom, abs=0.01)


def test_shades_are_grey_pixels() -> None:
    (image,) = parts(canvas.to_svg([CanvasStep(SHADES)]), "image")
    pixels = from_text(image.get("href", "")).pixels
    assert np.array_equal(pixels[:, :, 0], np.rint(SHADES * 255))


def test_what_is_copied_stands_before_the_first_step() -> None:
    drawn = canvas.to_svg([STEP], copied=np.ones((20, 30)))
    assert len(parts(drawn, "image")) == 2
    assert "to copy" in drawn


def test_a_window_beyond_the_canvas_is_cut_off() -> None:
    drawn = canvas.to_svg([CanvasStep(SHADES, (-500.0, -500.0, 900.0, 900.0))])
    square = parts(drawn, "rect")[1]
    assert float(square.get("width", "")) == pytest.approx(32 * 84 / 30, abs=0.01)


def test_large_canvases_are_made_coarser() -> None:
    (image,) = parts(canvas.to_svg([CanvasStep(np.zeros((1000, 300)))]), "image")
    assert from_text(image.get("href", "")).pixels.shape == (125, 38, 3)


@pytest.mark.parametrize("width", [20, 47, 100])
def test_the_terminal_shows_first_and_last(width: int) -> None:
    drawn = canvas.to_terminal([STEP] * 16, said="said", width=width)
    sound(drawn, width)
    assert "16" in drawn
    assert "┌" in drawn
    assert "╭" in drawn


def test_corners_stand_where_the_window_is() -> None:
    lines = canvas.to_terminal([CanvasStep(np.zeros((20, 30)), STEP.write)], width=40).splitlines()
    assert lines[1 + 4 // 2][6] == "┌"
    assert lines[1 + 11 // 2][13] == "┘"


def test_no_steps_and_other_sizes_are_refused() -> None:
    with pytest.raises(ShapeError, match="0 steps with canvases"):
        canvas.to_svg([])
    with pytest.raises(ShapeError, match="2 steps with canvases"):
        canvas.to_terminal([STEP, CanvasStep(np.zeros((2, 2)))])
