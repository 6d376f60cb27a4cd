import numpy as np

from saccade.corpora._dice import Dice
from saccade.corpora._pen import Hand, written


def test_the_same_dice_write_the_same() -> None:
    one, same, other = (written("cat", Dice(seed)).points for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert one.shape != other.shape or not np.array_equal(one, other)


def test_hands_differ_and_stay_legible() -> None:
    hands = [Hand.of(Dice(seed)) for seed in range(200)]
    assert {hand.joins for hand in hands} == {0.0, 0.85}
    slants = np.array([hand.slant for hand in hands])
    assert 0.05 < slants.mean() < 0.25
    assert 0.1 < slants.std() < 0.3
    assert all(0.6 < hand.size < 1.4 and hand.spacing > 0.5 for hand in hands)


def test_letters_are_joined_in_half_of_all_hands() -> None:
    strokes = [len(list(written("ooooo", Dice(seed)))) for seed in range(40)]
    assert 5 in strokes  # printed
    assert 1 in strokes  # in one line
    apart = [len(list(written("OOOOO", Dice(seed)))) for seed in range(40)]
    assert set(apart) == {5}  # capitals are never joined


def test_a_long_text_is_written_to_its_end() -> None:
    long = written("mmmmmmmmmm" * 30, Dice(1))
    assert long.box[2] > 10 * written("mmmmmmmmmm", Dice(1)).box[2]


def test_points_are_as_far_apart_as_a_pen_goes() -> None:
    points = written("lll", Dice(3)).points
    moves = np.hypot(*np.diff(points[:, :2], axis=0).T)
    assert 5 < np.median(moves) < 30
