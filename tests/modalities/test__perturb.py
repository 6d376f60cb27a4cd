"""Changes by chance: bounded, seeded, and off unless asked for."""

import random

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.modalities._perturb import Perturbation

TONE = (8000 * np.sin(2 * np.pi * 500 * np.arange(4000) / 8000)).astype(np.int16)


def heard(seed: int = 1, **options: float) -> np.ndarray:
    return Perturbation(**options).samples(TONE, 8000, random.Random(seed))  # type: ignore[arg-type]


def test_the_same_chance_gives_the_same() -> None:
    options = {"speed": 0.1, "silence": 0.1, "noise": 0.3}
    assert np.array_equal(heard(3, **options), heard(3, **options))
    assert not np.array_equal(heard(3, **options)[:999], heard(4, **options)[:999])
    assert np.array_equal(heard(), TONE)
    assert not Perturbation().active


def test_speed_changes_length_and_pitch_together() -> None:
    lengths = set[int]()
    for seed in range(20):
        found = heard(seed, speed=0.1)
        lengths.add(len(found))
        assert 4000 / 1.1 - 1 <= len(found) <= 4000 / 0.9 + 1
        pitch = abs(np.fft.rfft(found, 8000)).argmax()
        assert pitch == pytest.approx(500 * 4000 / len(found), abs=3)
    assert len(lengths) > 8


def test_silence_is_put_at_both_ends() -> None:
    found = heard(5, silence=0.1)
    (begin,) = [i for i in range(len(found)) if np.array_equal(found[i : i + 4000], TONE)]
    assert 0 < begin <= 800
    assert 0 < len(found) - begin - 4000 <= 800
    assert not found[:begin].any()


def test_noise_has_a_level() -> None:
    loudness = [float(np.std(heard(seed, noise=0.2) - TONE) / np.std(TONE)) for seed in range(20)]
    assert max(loudness) <= 0.21
    assert min(loudness) < 0.05


def test_masks_hide_spans_of_time_and_of_bands() -> None:
    frames = np.ones((100, 40), np.float32)
    assert Perturbation().frames(frames, random.Random(1)) is frames
    for seed in range(30):
        found = Perturbation(masks=2).frames(frames, random.Random(seed))
        rows, columns = (found == 0).all(axis=1), (found == 0).all(axis=0)
        assert rows.sum() <= 22
        assert columns.sum() <= 18
        assert found[~rows][:, ~columns].all()
    assert frames.all()
    assert Perturbation(masks=2).frames(frames[:1], random.Random(1)).shape == (1, 40)


@pytest.mark.parametrize("odd", [{"speed": 0.9}, {"noise": -1.0}, {"masks": 99}, {"silence": 50}])
def test_what_is_out_of_range_is_refused(odd: dict[str, float]) -> None:
    with pytest.raises(RecipeError, match=rf"sound.random_{next(iter(odd))}: found .*; expected 0"):
        Perturbation(**odd).check()  # type: ignore[arg-type]
