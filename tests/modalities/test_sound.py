"""Sounds in and out: data URIs, files, scales, and what is refused."""

import base64
import builtins
import json
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._hearing import Hearing, decode
from saccade.modalities._sound import Sound, SoundFile, SplicedSound, to_text
from saccade.modalities._uri import to_uri
from saccade.modalities._wave import write_wave
from saccade.modalities.sound import Audio, SoundCodec
from tests.modalities.test__wave import packed

RATE = 8000
TONE = (8000 * np.sin(2 * np.pi * 500 * np.arange(2000) / RATE)).astype(np.int16)
NOISE = np.random.default_rng(0).integers(-5000, 5000, 3000).astype(np.int16)


def codec(*sounds: Sound, **options: Any) -> SoundCodec:
    given = sounds or (Sound(TONE, RATE, "ann"), Sound(NOISE, RATE, "bob"))
    found = Audio(**{"rate": RATE, "bins": 20, "max_seconds": 5.0, **options}).fit([given])
    assert isinstance(found, SoundCodec)
    return found


def as_text(data: bytes, kind: str = "wav") -> str:
    return f"data:audio/{kind};base64,{base64.b64encode(data).decode()}"


def saved(kind: str, rate: int = RATE, channels: int = 1, **options: Any) -> bytes:
    soundfile = pytest.importorskip("soundfile", reason="other files than WAVE need soundfile")
    file = BytesIO()
    loud = np.stack([TONE / 32768] * channels, axis=1)
    soundfile.write(file, loud, rate, format=kind, **options)
    return file.getvalue()


def test_what_is_written_is_read_with_its_speaker() -> None:
    sound = Sound(NOISE, RATE, "Ann; B=c, d")
    found = codec().read(codec().write(sound))
    assert np.array_equal(found.samples, NOISE)
    assert (found.rate, found.speaker) == (RATE, sound.speaker)
    assert sound.seconds == 3000 / RATE
    assert codec().write(found) == codec().write(sound)


@pytest.mark.parametrize(("kind", "loss"), [("FLAC", 0.0), ("OGG", 0.1), ("MP3", 0.15)])
def test_other_files_are_read(kind: str, loss: float) -> None:
    found = codec().read(to_uri(saved(kind), "a")).samples
    assert abs(len(found) - 2000) < 2500
    best = max(
        float(np.corrcoef(found[i : i + 1000], TONE[:1000])[0, 1])
        for i in range(max(len(found) - 1000, 1))
    )
    assert best > 1 - loss - 1e-6
    if not loss:
        assert np.array_equal(found, TONE)


def test_wave_files_need_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    flac = saved("FLAC")
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "soundfile":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert np.array_equal(codec().read(as_text(write_wave(TONE, RATE))).samples, TONE)
    with pytest.raises(DataError, match=r"a sound of kind flac, which needs the package soundfile"):
        codec().read(as_text(flac, "flac"))


def test_compressed_wave_files_are_left_to_libsndfile() -> None:
    found = codec().read(as_text(saved("WAV", subtype="ULAW"))).samples
    assert np.corrcoef(found, TONE)[0, 1] > 0.999


def test_stereo_is_mixed_and_other_rates_are_resampled() -> None:
    slow = codec().read(as_text(saved("FLAC", rate=16_000, channels=2)))
    assert (slow.rate, len(slow.samples)) == (RATE, 1000)
    wanted = 8000 * np.sin(2 * np.pi * 1000 * np.arange(1000) / RATE)
    assert abs(slow.samples - wanted)[100:-100].max() < 20
    (array,) = codec().encode([Sound(TONE, 16_000)])
    assert len(array) == 1001


def test_a_file_and_a_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(write_wave(NOISE, RATE))
    whole, part = SoundFile(path, "a", "bob"), SoundFile(path, "a", "bob", 0.125, 0.25)
    assert np.array_equal(codec().take(whole).samples, NOISE)
    assert np.array_equal(codec().take(part).samples, NOISE[1000:3000])
    assert whole.digest != part.digest
    assert str(whole) == "a"
    flac = tmp_path / "a.flac"
    flac.write_bytes(saved("FLAC"))
    found = codec().take(SoundFile(flac, start=0.125, seconds=0.0625)).samples
    assert np.array_equal(found, TONE[1000:1500])


def test_files_are_spliced_with_gaps(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(write_wave(TONE, RATE))
    one = SoundFile(path, "a", "ann")
    both = SplicedSound((one, one), (0.0, 0.01, 0.02))
    found = codec().take(both)
    assert found.speaker == "ann"
    assert np.array_equal(found.samples, np.concatenate([TONE, np.zeros(80), TONE, np.zeros(160)]))
    assert SplicedSound((one, SoundFile(path, "a", "bob")), (0, 0, 0)).speaker == ""


def test_an_array_is_at_the_rate_of_the_model() -> None:
    assert np.array_equal(codec().take(TONE).samples, TONE)
    assert np.array_equal(codec().take(TONE / 32768).samples, TONE)
    with pytest.raises(DataError, match=r"input: an array \[2, 2\] of float64; expected a sound"):
        codec().take(np.zeros((2, 2)))


def test_loud_floats_are_clipped() -> None:
    found = codec().take(np.array([2.0, -3.0, 0.5] * 100)).samples
    assert found[:3].tolist() == [32767, -32768, 16384]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", r"^input: the file is empty; expected a sound. Copy it again."),
        (b"hello, world", r"^input: begins with b'hello, w', which is no sound that is known here"),
        (write_wave(TONE[:0], RATE), r"^input: a sound without samples; expected some. Record it"),
        (write_wave(TONE, RATE)[:900], r"^input: has 856 of the 4,000 bytes of samples that its h"),
        (packed(b"\0\0" * 9, rate=5), r"^input: has 5 samples a second; expected 1,000 to 192,000"),
        (
            packed(np.array([0, np.nan, 0], "<f4").tobytes(), coding=3, bits=32),
            r"^input: 1 of 3 samples are no numbers \(NaN or infinite\); expected numbers from -1",
        ),
        (
            packed(np.array([0, np.inf, np.inf], "<f8").tobytes(), coding=3, bits=64),
            r"^input: 2 of 3 samples are no numbers \(NaN or infinite\); expected numbers from -1",
        ),
    ],
)
def test_broken_sounds_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        codec().read(as_text(data))


def test_a_cut_flac_is_refused() -> None:
    data = saved("FLAC")
    for kept in (6, 50, len(data) // 2, len(data) - 20):
        with pytest.raises(DataError, match=r"^input: (cannot be decoded|has \d|a sound without)"):
            codec().read(as_text(data[:kept], "flac"))


def test_other_texts_are_refused() -> None:
    with pytest.raises(DataError, match=r"input: found '/etc/passwd'; expected a sound as text th"):
        codec().read("/etc/passwd")
    with pytest.raises(DataError, match=r"input: the sound is not base64 \(.*\); expected A-Z, a-"):
        codec().read("data:audio/wav;base64,?!")


def test_long_sounds_are_refused_or_cut(tmp_path: Path) -> None:
    long = np.tile(NOISE, 20)  # 7.5 seconds
    data = as_text(write_wave(long, RATE))
    with pytest.raises(DataError, match=r"input: lasts more than 6.0 seconds; expected at most 5"):
        codec().read(data)
    with pytest.raises(DataError, match=r"sound 1: lasts 5.2 seconds; expected at most 5. Cut it"):
        codec().encode([long[:41_600]])
    cut = codec(long="cut")
    assert np.array_equal(cut.read(data).samples, long[:40_000])
    assert np.array_equal(cut.encode([long])[0][1:], long[:40_000])
    path = tmp_path / "long.wav"
    path.write_bytes(write_wave(long, RATE))
    found = codec().take(SoundFile(path, start=1.0, seconds=5.0)).samples
    assert np.array_equal(found, long[8000:48_000])


def test_hours_take_no_more_memory_than_what_is_kept() -> None:
    hour = packed(bytes(2 * RATE * 600), channels=1)
    found = decode(hour, "hour", 0.0, 6.0)
    assert (len(found.samples), found.more) == (6 * RATE, True)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 120), st.integers(0, 255), st.sampled_from(["wav", "flac", "ogg", "mpeg"]))
def test_a_damaged_file_is_read_or_refused(place: int, value: int, kind: str) -> None:
    data = bytearray(FILES[kind] or write_wave(TONE, RATE))
    data[place % len(data)] = value
    said = ""
    try:
        found = decode(bytes(data), "f", 0.0, 2.0)
    except DataError as refused:
        said = str(refused)
    else:
        assert len(found.samples) <= 2.0 * 192_000
        assert np.isfinite(found.samples).all()
    assert not said or (said.startswith("f: ") and said.endswith("."))


def _try_saved(kind: str) -> bytes:
    try:
        import soundfile  # noqa: PLC0415
    except ImportError:
        return b""
    file = BytesIO()
    soundfile.write(file, TONE / 32768, RATE, format=kind)
    return file.getvalue()


FILES = {
    "wav": write_wave(TONE, RATE),
    "flac": _try_saved("FLAC"),
    "ogg": _try_saved("OGG"),
    "mpeg": _try_saved("MP3"),
}


def test_features_of_the_corpus_have_mean_0_and_deviation_1() -> None:
    found = codec()
    rows = [found.features(a) for a in found.encode([Sound(TONE, RATE), Sound(NOISE, RATE)])]
    together = np.concatenate(rows)
    assert abs(together.mean(axis=0)).max() < 1e-3
    assert abs(together.std(axis=0) - 1).max() < 1e-3


def test_features_may_go_by_file_or_by_speaker() -> None:
    loud = Sound((NOISE * 4).astype(np.int16), RATE, "bob")
    by_file, own = (codec(Sound(TONE, RATE, "ann"), loud, by=by) for by in ("file", "speaker"))
    for one in (by_file, own):
        (array,) = one.encode([loud])
        assert abs(one.features(array).mean(axis=0)).max() < 1e-3
    (louder,) = own.encode([Sound(loud.samples // 8, RATE, "bob")])
    assert (own.features(louder).mean(axis=0) < -0.5).all()
    (stranger,) = own.encode([Sound(loud.samples // 8, RATE, "eve")])
    assert stranger[0] == 0
    assert abs(own.features(stranger).mean(axis=0)).max() < 1e-3
    assert own.decode(louder).speaker == "bob"
    assert "2 speakers" in own.describe()
    with pytest.raises(DataError, match=r"data: 0 speakers are named; by: speaker expected 1 to"):
        codec(Sound(TONE, RATE), by="speaker")


def test_silence_at_the_ends_adds_frames_and_does_not_shift_the_scale() -> None:
    plain, quiet = codec(by="file"), codec(by="file", silence=0.1)
    (array,) = plain.encode([Sound(NOISE, RATE)])
    found = quiet.features(array)
    assert len(found) == len(plain.features(array)) + 20
    assert np.allclose(found[0], found[1])
    assert quiet.laid(array.shape) == found.shape
    assert np.array_equal(quiet.encode([Sound(NOISE, RATE)])[0], array)


def test_digital_silence_is_heard_as_the_floor() -> None:
    found = codec(by="file").features(np.zeros(2001, np.int16))
    assert not found.any()


def test_vary_changes_the_features_and_pad_takes_them() -> None:
    one = codec(random_speed=0.1, random_silence=0.05, random_noise=0.1, random_masks=1)
    assert one.varies
    (array,) = one.encode([Sound(NOISE, RATE)])
    first, again, other = (one.vary(array, random.Random(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert first.dtype == np.float32
    assert not np.array_equal(first, other)
    values, mask = one.pad([first, array])
    assert np.array_equal(values[0][mask[0]], first)
    assert np.array_equal(values[1][mask[1]], one.features(array))


@pytest.mark.parametrize(
    "odd",
    [{"rate": 10}, {"bins": 0}, {"bins": 999}, {"max_seconds": 0.0}, {"silence": -1.0}],
)
def test_options_out_of_range_are_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match=r"sound: found rate .*; expected a rate of 1000 to 192"):
        Audio(**odd)


@pytest.mark.parametrize(
    "odd",
    [
        {"rate": "fast"}, {"rate": True}, {"bins": 10**9}, {"by": "moon"}, {"scale": [[1], [2]]},
        {"scale": [[0.0] * 20, [0.0] * 20]}, {"speakers": 5}, {"max_seconds": 1e9},
    ],
)  # fmt: skip
def test_a_damaged_codec_is_refused(odd: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "source.json"
    codec().save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **odd}))
    with pytest.raises(CheckpointError, match=r"source.json: cannot be read as the scale of sound"):
        Audio().load(path)


def test_a_saved_codec_keeps_speakers_and_may_vary_otherwise(tmp_path: Path) -> None:
    one = codec(by="speaker")
    one.save(tmp_path / "source.json")
    again = Audio(random_masks=2).load(tmp_path / "source.json")
    assert again.fingerprint == one.fingerprint
    assert again.varies
    (array,) = one.encode([Sound(TONE, RATE, "bob")])
    assert array[0] == 2
    assert np.array_equal(again.pad([array]).values, one.pad([array]).values)
    assert Audio(random_masks=1).adopt(one).varies


def test_hearing_keeps_what_is_right_already() -> None:
    once = Hearing(RATE, 5.0).sound(to_text(Sound(NOISE, RATE)), "a")
    assert np.array_equal(Hearing(RATE, 5.0).sound(once, "a").samples, NOISE)
