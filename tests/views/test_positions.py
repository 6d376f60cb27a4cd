"""The picture of a position encoding."""

import numpy as np
import pytest

from saccade.errors import ShapeError
from saccade.views import positions
from tests.views.pictures import BAD, parts, plain, sound


def noise(n: int, dim: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.random.default_rng(n).normal(size=(n, dim))


def test_the_sign_decides_the_hue_and_the_size_the_opacity() -> None:
    drawn = positions.to_svg(np.array([[1.0, -1.0, 0.5, 0.0]]))
    looks = [(p.get("class"), p.get("fill-opacity")) for p in parts(drawn, "path")]
    assert looks == [("f1", "1"), ("f0", "0.5"), ("f0", "1")]


def test_neighbours_of_one_colour_share_a_path() -> None:
    drawn = positions.to_svg(np.ones((3, 512)))
    (path,) = parts(drawn, "path")
    assert (path.get("d") or "").count("M") == 3
    assert len(positions.to_svg(noise(60, 512))) < 1_000_000


def test_the_terminal_reads_as_expected() -> None:
    drawn = positions.to_terminal(np.array([[1.0, -1.0, 0.5, -0.5, 0.0, np.nan]]), colour=False)
    assert drawn == "0 ▲▼△▽·?\nevery dimension, -1 to 1\n"


@pytest.mark.parametrize("dim", [1, 7, 128, 513])
@pytest.mark.parametrize("colour", [True, False])
def test_the_terminal_width_is_kept(dim: int, colour: bool) -> None:
    drawn = positions.to_terminal(noise(12, dim), title="waves" * 20, colour=colour, width=40)
    sound(drawn, 40)
    assert len(plain(drawn).splitlines()) == 14


def test_what_is_not_finite_is_left_blank() -> None:
    drawn = positions.to_svg(np.array([[np.nan, 1.0], [np.inf, -1.0]]))
    assert "nan" not in drawn
    assert sum((p.get("d") or "").count("M") for p in parts(drawn, "path")) == 2
    assert parts(positions.to_svg(np.zeros((2, 2))), "path") == []


def test_the_title_is_only_text() -> None:
    drawn = positions.to_svg(noise(3, 4), title=BAD)
    assert "<script" not in drawn
    assert drawn == positions.to_svg(noise(3, 4), title=BAD)


@pytest.mark.parametrize("shape", [(3,), (0, 4), (2, 2, 2)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"positions.to_svg: the matrix has shape .*\[n, D\]"):
        positions.to_svg(np.zeros(shape))
    with pytest.raises(ShapeError, match=r"positions.to_terminal: the matrix has shape"):
        positions.to_terminal(np.zeros(shape), colour=False)


def test_columns_may_stand_for_something_else() -> None:
    matrix = np.eye(3)
    drawn = positions.to_svg(matrix, across="place"), positions.to_svg(matrix)
    assert ["dimension" in one for one in drawn] == [False, True]
    told = positions.to_terminal(matrix, across="place", colour=False)
    assert told.endswith("every place, -1 to 1\n")
