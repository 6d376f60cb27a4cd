"""Resampling: tones stay, what is too high goes, and the ends are where they were."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.modalities._resample import ResampleStream, resample, resample_by_matrix


def tone(hertz: float, rate: int, seconds: float = 0.5) -> np.ndarray:
    return np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)


@pytest.mark.parametrize(
    ("before", "after"), [(44_100, 8000), (8000, 16_000), (16_000, 8000), (22_050, 16_000)]
)
def test_a_tone_stays_where_it_was(before: int, after: int) -> None:
    found = resample(tone(440, before), before, after)
    wanted = tone(440, after)
    assert len(found) == len(wanted)
    assert abs(found - wanted)[200:-200].max() < 1e-4


@pytest.mark.parametrize("hertz", [4150, 5000, 12_000, 21_000])
def test_what_is_too_high_is_not_folded_back(hertz: float) -> None:
    found = resample(tone(hertz, 44_100), 44_100, 8000)
    assert abs(found[300:-300]).max() < 1e-3  # 60 dB


def test_a_level_stays() -> None:
    found = resample(np.ones(900), 7919, 8000)  # prime: as many phases as samples a second
    assert len(found) == -(-900 * 8000 // 7919)
    assert abs(found[100:-100] - 1).max() < 1e-9


def test_the_same_rate_changes_nothing() -> None:
    x = np.arange(9.0)
    assert resample(x, 8000, 8000) is x
    assert not len(resample(x[:0], 8000, 16_000))


def test_it_is_linear_and_a_click_stays_in_place() -> None:
    click = np.zeros(400)
    click[100] = 1.0
    found = resample(click, 8000, 16_000)
    assert int(found.argmax()) == 200
    assert np.allclose(resample(3 * click, 8000, 16_000), 3 * found)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(0, 700), min_size=1, max_size=8),
    st.sampled_from([(44_100, 8000), (8000, 16_000), (48_000, 16_000), (7919, 8000), (8000, 8000)]),
)
def test_chunks_are_as_the_whole(sizes: list[int], rates: tuple[int, int]) -> None:
    sound = np.random.default_rng(sum(sizes)).normal(size=sum(sizes))
    stream, ends = ResampleStream(*rates), np.cumsum([0, *sizes])
    parts = [stream.feed(sound[a:b]) for a, b in pairwise(ends)]
    found = np.concatenate([*parts, stream.finish()])
    assert np.array_equal(found, resample(sound, *rates))
    assert len(found) == -(-len(sound) * rates[1] // rates[0])


@pytest.mark.parametrize("rates", [(91, 100), (110, 100), (1, 2), (44_100, 8000), (7919, 8000)])
@pytest.mark.parametrize("n", [0, 1, 90, 2001])
def test_one_matrix_for_all_periods_gives_the_same(rates: tuple[int, int], n: int) -> None:
    x = np.random.default_rng(1).normal(size=n)
    found, wanted = resample_by_matrix(x, *rates), resample(x, *rates)
    assert found.shape == wanted.shape
    assert abs(found - wanted).max(initial=0) < 1e-12
