import string
from itertools import pairwise

import numpy as np
import pytest

from saccade.corpora._letters import ALPHABET, curve, glyph


def test_the_alphabet_is_whole() -> None:
    assert set(string.ascii_letters + string.digits + " .,!?':-") == set(ALPHABET)


@pytest.mark.parametrize("character", sorted(ALPHABET.strip()))
def test_pieces_of_a_stroke_hang_together_on_the_lines(character: str) -> None:
    one = glyph(character)
    assert one.strokes
    assert 1 <= one.width <= 9
    for pieces in one.strokes:
        for before, behind in pairwise(pieces):
            assert np.array_equal(before[-1], behind[0])
        points = np.concatenate(pieces)
        assert points[:, 1].min() >= -3
        assert points[:, 1].max() <= 7


def test_no_two_characters_are_the_same() -> None:
    drawn = {str([[p.tolist() for p in s] for s in glyph(c).strokes]) for c in ALPHABET}
    assert len(drawn) == len(ALPHABET)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_curve_goes_through_its_points(n: int) -> None:
    points = np.arange(2.0 * n).reshape(n, 2) ** 2
    fine = curve(n) @ points
    for point in points:
        assert np.abs(fine - point).sum(axis=1).min() < 1e-12
    assert np.allclose(curve(n).sum(axis=1), 1.0)  # moved points give the moved curve
