"""Where heads are along time, drawn."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views.addresses import HeadPath, to_svg, to_terminal, touched

STEPS = ["01", "10", "</s>", "01", "10"]
WRITE = HeadPath("write head", np.eye(5, 9), np.linspace(-1, 1, 10).reshape(5, 2))
READ = HeadPath("read head", np.full((5, 9), 1 / 9), np.full((5, 2), np.nan))


def test_a_rectangle_for_every_weight_with_its_number() -> None:
    picture = to_svg(STEPS, [WRITE], reading=3, title="Addresses")
    assert picture.count('class="hue"') == 5
    assert "step 5, slot 4: 1" in picture
    assert 'class="axis"' in picture
    assert "&lt;/s&gt;" in picture


def test_nothing_that_is_no_number_is_drawn() -> None:
    picture = to_svg(STEPS, [READ])
    assert "nan" not in picture
    assert 'class="axis"' not in picture


def test_a_terminal_shows_slots_and_signs() -> None:
    lines = to_terminal(STEPS, [WRITE], reading=3, width=40).splitlines()
    assert lines[0] == "write head: slots"
    assert lines[1].strip() == "0 █  │"
    assert lines[4].strip() == "3    │█"
    assert lines[6] == "write head: vector"
    assert lines[-1] == "3 steps of reading, then 2 of writing"


def test_what_does_not_fit_is_said() -> None:
    many = HeadPath("h", np.eye(90), np.zeros((90, 1)))
    shown = to_terminal(["x"] * 90, [many], width=30)
    assert all(len(line) <= 30 for line in shown.splitlines())
    assert "more steps do not fit." in shown


def test_slots_nobody_was_at_are_left_out_and_not_too_many_are_kept() -> None:
    assert touched(np.zeros((3, 4))) == []
    assert len(touched(np.eye(200))) == 48


def test_every_step_has_weights_and_vectors() -> None:
    with pytest.raises(ShapeError, match=r"to_svg: write head has 5 weights and 5 vectors; expec"):
        to_svg(STEPS[:3], [WRITE])
