import pytest

from saccade.errors import ShapeError
from saccade.views import axes


def test_a_frame_has_room_for_every_word() -> None:
    frame = axes.framed(["le", "chat"], ["the", "cat", "sleeps"], title="cats")
    assert frame.right - frame.left == 2 * frame.cell
    assert frame.bottom - frame.above == 3 * frame.cell
    assert len(frame.words("cats")) == 1 + 2 + 3
    assert frame.width("a very long title" * 5) > frame.width("")


def test_letters_stand_upright_and_crowded_words_steeply() -> None:
    assert axes.framed(["a", "b"], ["c"]).turn == 0.0
    assert axes.framed(["mot"] * 5, ["c"]).turn == -50.0
    assert axes.framed(["mot"] * 60, ["c"]).turn == -90.0


def test_words_run_downwards_and_long_ones_are_cut() -> None:
    assert axes.downwards(["ab", "c"], 1, 2) == ["  a", "  b c"]
    assert axes.downwards(["x" * 30], 0, 2)[-1] == " ⋮"
    assert axes.downwards([], 3, 2) == []


def test_a_narrow_terminal_is_refused() -> None:
    with pytest.raises(ShapeError, match="here: width is 9 columns; at least 20 are needed"):
        axes.check_width("here", 9)
