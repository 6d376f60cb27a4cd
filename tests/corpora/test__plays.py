"""What things do, frame by frame."""

import numpy as np

from saccade.corpora._digits import DIGITS, bitmap
from saccade.corpora._plays import SIDE, Actor, Play


def drawn(verb: str, shape: str = "3", steps: int = 4) -> np.ndarray:
    """Draw one action of a digit, beside a square that blinks later."""
    second = Actor("square", "red", "blinks", steps, 4, 14, 14)
    frames = Play(Actor(shape, "black", verb, 0, steps, 54, 54), second, steps + 5, 1).draw()
    return frames[: steps + 1].astype(int)


def darkness(frames: np.ndarray) -> np.ndarray:
    """Tell by how much each pixel is darker than without the digit, `[F, H, W]`."""
    without = drawn("appears")[0]
    return (without - frames).clip(0).max(axis=3)  # type: ignore[no-any-return]


def ink(frames: np.ndarray) -> np.ndarray:
    """Mark the dark pixels of each frame, `[F, H, W]`."""
    return darkness(frames) > 60


def test_moving_moves_the_ink() -> None:
    for verb, axis, way in (
        ("moves left", 2, -1),
        ("moves right", 2, 1),
        ("rises", 1, -1),
        ("falls", 1, 1),
    ):
        across = darkness(drawn(verb)).sum(axis=3 - axis)  # [F, n]
        places = (across * np.arange(across.shape[1])).sum(axis=1) / across.sum(axis=1)
        steps = np.diff(places) * way
        assert steps.min() > 1.4
        assert steps.max() < 2.1


def test_growing_and_shrinking_change_the_size() -> None:
    heights = [int(mark.any(axis=1).sum()) for mark in ink(drawn("grows"))]
    assert heights == sorted(heights)
    assert heights[-1] >= heights[0] + 4
    assert np.array_equal(ink(drawn("shrinks")), ink(drawn("grows"))[::-1])


def test_appearing_and_vanishing_change_the_ink() -> None:
    dark = darkness(drawn("appears")).sum(axis=(1, 2)).tolist()
    assert dark == sorted(set(dark))
    assert dark[0] == 0
    assert np.array_equal(drawn("vanishes"), drawn("appears")[::-1])


def test_blinking_hides_and_shows() -> None:
    assert [bool(mark.any()) for mark in ink(drawn("blinks"))] == [True, False, True, False, True]


def test_every_digit_looks_like_itself() -> None:
    seen = [ink(drawn("blinks", digit))[0] for digit in DIGITS]
    for i, one in enumerate(seen):
        assert one.any()
        assert not any(np.array_equal(one, other) for other in seen[:i])
    assert len({bitmap(digit).tobytes() for digit in DIGITS}) == 10


def test_frames_are_of_their_size() -> None:
    assert drawn("grows").shape == (5, SIDE, SIDE, 3)
