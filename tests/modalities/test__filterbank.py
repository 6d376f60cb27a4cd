"""Filterbanks: as kaldi-native-fbank computes them, for a whole sound and for chunks."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.modalities._filterbank import Filterbank, FilterbankStream

CASES = [(8000, 40), (16_000, 80), (8000, 23), (11_025, 30)]


def noise(n: int, seed: int = 0) -> Any:
    return (1000 * np.random.default_rng(seed).standard_normal(n)).astype(np.float32)


@pytest.mark.parametrize(("rate", "bins"), CASES)
def test_a_file_is_as_with_kaldi(rate: int, bins: int) -> None:
    knf = pytest.importorskip("kaldi_native_fbank", reason="kaldi-native-fbank is the oracle")
    options = knf.FbankOptions()
    options.frame_opts.dither, options.frame_opts.samp_freq = 0.0, rate
    options.mel_opts.num_bins = bins
    oracle, sound = knf.OnlineFbank(options), noise(rate)
    oracle.accept_waveform(rate, sound.tolist())
    oracle.input_finished()
    wanted = np.stack([oracle.get_frame(i) for i in range(oracle.num_frames_ready)])
    found = Filterbank(rate, bins).frames(sound)
    assert found.shape == wanted.shape
    assert abs(found - wanted).max() < 1e-3
    silent = np.zeros(rate // 10, np.float32)
    assert np.allclose(Filterbank(rate, bins).frames(silent), np.log(np.finfo(np.float32).eps))


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 900), max_size=12), st.sampled_from(CASES))
def test_chunks_are_as_the_whole(sizes: list[int], case: tuple[int, int]) -> None:
    bank, sound = Filterbank(*case), noise(sum(sizes))
    stream = FilterbankStream(bank)
    ends = np.cumsum([0, *sizes])
    parts = [stream.feed(sound[a:b]) for a, b in pairwise(ends)]
    found = np.concatenate([np.zeros((0, bank.bins), np.float32), *parts])
    assert found.shape == (bank.count(len(sound)), bank.bins)
    assert np.allclose(found, bank.frames(sound), atol=1e-4)


def test_blocks_of_a_long_sound_meet() -> None:
    bank, sound = Filterbank(8000, 8), noise(80 * 4100)
    found = bank.frames(sound)
    assert np.allclose(found[4090:], bank.frames(sound[80 * 4090 :]), atol=1e-4)


def test_a_tone_is_in_its_band() -> None:
    bank = Filterbank(8000, 40)
    bands = [
        int(bank.frames((9000 * np.sin(2 * np.pi * f * np.arange(4000) / 8000)).astype(np.float32))
            .mean(axis=0).argmax())
        for f in (200, 500, 1000, 2000, 3500)
    ]  # fmt: skip
    assert bands == sorted(set(bands))
