"""A stream is cut where it is quiet, whatever its chunks are."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import RecipeError
from saccade.modalities._pauses import NoiseLevel, Pauses, Stretch

RATE = 1000  # blocks of ten samples


def speech(seconds: float, level: float = 3000.0, seed: int = 0) -> Any:
    chance = np.random.default_rng(seed)
    return (level * chance.standard_normal(int(RATE * seconds))).astype(np.int16)


def quiet(seconds: float) -> Any:
    return speech(seconds, level=5.0, seed=1)


def cut(sound: Any, sizes: tuple[int, ...] = (200,), **options: Any) -> list[Stretch]:
    pauses = Pauses(RATE, longest=options.pop("longest", 30 * RATE), **options)
    found, place, n = [], 0, 0
    while place < len(sound):
        size = sizes[n % len(sizes)]
        found += pauses.feed(sound[place : place + size])
        place, n = place + size, n + 1
    return [*found, *pauses.finish()]


def test_stretches_end_at_pauses() -> None:
    sound = np.concatenate([quiet(2), speech(1), quiet(0.3), speech(1), quiet(1.5), speech(0.5)])
    first, second = cut(sound)
    assert 1.35 * RATE <= first.first <= 1.45 * RATE  # all but 0.6 seconds of quiet is left out
    assert first.first + len(first.samples) == pytest.approx(4.6 * RATE, abs=20)
    assert second.first + len(second.samples) == len(sound)
    assert second.first == pytest.approx(5.2 * RATE, abs=40)
    for one in (first, second):
        assert np.array_equal(one.samples, sound[one.first : one.first + len(one.samples)])


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(1, 999), min_size=1, max_size=4))
def test_chunks_do_not_matter(sizes: list[int]) -> None:
    parts = [speech(0.7), quiet(0.8), speech(0.4), quiet(0.2), speech(6), quiet(3), speech(0.205)]
    sound = np.concatenate(parts)
    wanted, found = (cut(sound, each, longest=4 * RATE) for each in ((len(sound),), tuple(sizes)))
    assert [(one.first, one.samples.tolist()) for one in found] == [
        (one.first, one.samples.tolist()) for one in wanted
    ]
    assert len(wanted) == 4
    assert all(len(one.samples) <= 4 * RATE for one in wanted)
    for one, other in pairwise(wanted):
        assert one.first + len(one.samples) <= other.first


def test_a_sound_without_a_pause_is_one_stretch() -> None:
    for sound in (speech(2), np.concatenate([quiet(0.5), speech(1), quiet(0.5)]), quiet(0.4)):
        (one,) = cut(sound)
        assert one.first == 0
        assert np.array_equal(one.samples, sound)


def test_nothing_is_said_in_quiet() -> None:
    assert cut(quiet(20)) == []
    found, pauses = [], Pauses(RATE, longest=5 * RATE)
    for sound in (quiet(20), speech(0.5)):
        pauses.feed(sound)
        found.append(pauses.current)
    assert found[0] is None
    assert found[1] is not None
    assert len(found[1].samples) <= 1.2 * RATE


def test_steady_noise_is_quiet_and_speech_above_it_is_not() -> None:
    noise = NoiseLevel()
    heard = [noise.loud(-45.0) for _ in range(500)]
    assert not any(heard[100:])
    assert noise.loud(-25.0)


def test_what_never_pauses_is_cut_where_it_is_quietest() -> None:
    sound = np.concatenate([speech(2.5), quiet(0.1), speech(2.5)])
    first, second = cut(sound, longest=3 * RATE)
    assert 2.5 * RATE < len(first.samples) <= 2.6 * RATE
    assert second.first == len(first.samples)


def test_pauses_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"listen: a pause of 0.01 seconds in stretches of 3;"):
        Pauses(RATE, pause=0.01, longest=3 * RATE)
    with pytest.raises(RecipeError, match=r"a pause of 2 seconds in stretches of 3; expected"):
        Pauses(RATE, pause=2, longest=3 * RATE)
