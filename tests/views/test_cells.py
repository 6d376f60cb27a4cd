"""Weights over the cells of a picture: measured, and made smooth."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from saccade.views.cells import Box, entropy, share_in_box, share_of_most, smooth, top_of

Floats = npt.NDArray[np.float64]


def soft(height: int = 2, width: int = 2, seed: int = 1) -> Floats:
    scores = np.exp(np.random.default_rng(seed).normal(size=(height, width)) * 2)
    return np.asarray(scores / scores.sum())


def pixel_by_pixel(weights: Floats, box: Box, size: tuple[int, int], cell: int) -> float:
    """Spread the weight of every cell over its pixels and count those in the box."""
    inside = total = 0.0
    left, top, right, bottom = box
    for i, j in np.ndindex(*weights.shape):
        rows = range(i * cell, min((i + 1) * cell, size[0]))
        columns = range(j * cell, min((j + 1) * cell, size[1]))
        each = float(weights[i, j]) / (len(rows) * len(columns))
        total += float(weights[i, j])
        inside += sum(
            each for y in rows for x in columns if left <= x < right and top <= y < bottom
        )
    return inside / total


@given(
    st.tuples(st.integers(4, 20), st.integers(4, 20)),
    st.sampled_from([1, 2, 4]),
    st.lists(st.integers(0, 20), min_size=4, max_size=4),
)
@settings(deadline=None)
def test_the_share_is_that_of_the_pixels(size: tuple[int, int], cell: int, ends: list[int]) -> None:
    box = (min(ends[:2]), min(ends[2:]), max(ends[:2]), max(ends[2:]))
    weights = soft(-(-size[0] // cell), -(-size[1] // cell))
    # with few cells their size cannot be told from that of the picture
    assume((-(-size[0] // len(weights)), -(-size[1] // weights.shape[1])) == (cell, cell))
    expected = pixel_by_pixel(weights, box, size, cell)
    assert share_in_box(weights, box, size) == pytest.approx(expected)


def test_the_share_is_of_the_weight_there_is() -> None:
    whole = (0, 0, 4, 4)
    assert share_in_box(np.full((2, 2), 0.1), (0, 0, 2, 4), (4, 4)) == pytest.approx(0.5)
    assert share_in_box(np.zeros((2, 2)), whole, (4, 4)) == 0.0
    assert share_in_box(np.full((2, 2), np.nan), whole, (4, 4)) == 0.0
    assert share_in_box(np.array([[1.0, np.inf], [np.nan, -1.0]]), whole, (4, 4)) == 1.0


def test_entropy_is_that_of_the_shares() -> None:
    assert entropy(np.full((4, 4), 0.3)) == pytest.approx(4.0)  # log2 16, whatever the sum
    assert entropy(np.array([0.5, 0.25, 0.25])) == pytest.approx(1.5)
    assert entropy(np.array([0.0, np.nan, 2.0])) == 0.0
    assert entropy(np.zeros(3)) == 0.0


def test_the_share_of_the_heaviest() -> None:
    assert share_of_most(np.full((2, 5), 0.1)) == pytest.approx(0.5)
    assert share_of_most(np.array([[1.0, 3.0]]), 1) == pytest.approx(0.75)
    assert share_of_most(np.zeros((3, 3))) == 0.0


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 40), st.integers(1, 40))
@settings(deadline=None)
def test_a_smooth_map_is_no_higher_and_no_lower(
    rows: int, columns: int, height: int, width: int
) -> None:
    weights = soft(rows, columns)
    found = smooth(weights, (height, width), (height, width))
    assert found.shape == (height, width)
    assert found.max() <= weights.max() + 1e-12
    assert found.min() >= weights.min() - 1e-12


def test_a_smooth_map_is_a_sum_of_bells() -> None:
    weights, size = soft(3, 4), (12, 16)
    found = smooth(weights, size, size)
    y, x = 5 + 0.5, 9 + 0.5  # the middle of a pixel; cells have 4 x 4
    bells = np.array(
        [
            [
                np.exp(-(((y - 4 * i - 2) ** 2 + (x - 4 * j - 2) ** 2) / (2 * (0.6 * 4) ** 2)))
                for j in range(4)
            ]
            for i in range(3)
        ]
    )
    assert found[5, 9] == pytest.approx(float((bells * weights).sum() / bells.sum()))


def test_even_weight_stays_even() -> None:
    found = smooth(np.full((7, 7), 0.02), (91, 128), (40, 50))
    np.testing.assert_allclose(found, 0.02)


def test_several_maps_are_made_smooth_at_once() -> None:
    weights = np.stack([soft(3, 3, seed) for seed in range(2)])
    both = smooth(weights, (9, 9), (5, 5))
    np.testing.assert_allclose(both[1], smooth(weights[1], (9, 9), (5, 5)))


def test_a_scale_ends_at_a_round_number() -> None:
    assert [top_of(np.array([w])) for w in (0.011, 0.1, 0.95, 1.0, 3.2)] == [0.02, 0.1, 1, 1, 4]
    assert top_of(np.array([np.inf, 0.3])) == pytest.approx(0.3)
