"""Sounds in chunks: WAVE with and without a length, plain samples, other files; broken ones."""

import io
import struct
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.modalities._sound_stream import open_stream
from saccade.modalities._wave import write_wave
from tests.modalities.test__wave import TONE, packed


class Pipe(io.BytesIO):
    """Bytes that can be read once."""

    def seekable(self) -> bool:
        return False


def read(data: bytes, rate: int = 0, seconds: float = 0.01) -> Any:
    stream = open_stream(Pipe(data), "pipe", rate=rate, seconds=seconds)
    return stream.rate, np.concatenate([np.zeros(0), *stream.chunks])


def test_wave_and_plain_samples_come_in_chunks() -> None:
    stream = open_stream(Pipe(write_wave(TONE, 8000)), "pipe", seconds=0.01)
    sizes = [len(chunk) for chunk in stream.chunks]
    assert sizes == [80] * 5
    for data, rate in ((write_wave(TONE, 8000), 0), (packed(TONE.tobytes(), size=1 << 31), 0)):
        assert np.array_equal(read(data, rate)[1], TONE)
    assert np.array_equal(read(TONE.tobytes(), 16_000)[1], TONE)
    assert read(TONE.tobytes()[:7], 16_000)[1].tolist() == TONE[:3].tolist()


def test_a_file_of_another_kind_is_decoded(tmp_path: Any) -> None:
    soundfile = pytest.importorskip("soundfile", reason="soundfile writes FLAC")
    soundfile.write(tmp_path / "a.flac", TONE, 8000)
    with (tmp_path / "a.flac").open("rb") as file:
        stream = open_stream(file, "a.flac", seconds=0.01)
        assert stream.rate == 8000
        assert np.array_equal(np.concatenate(list(stream.chunks)), TONE)
    with pytest.raises(DataError, match=r"pipe: a sound of kind flac in a pipe; expected a WAVE"):
        read((tmp_path / "a.flac").read_bytes())


def test_what_cannot_be_read_is_named() -> None:
    with pytest.raises(DataError, match=r"pipe: begins with b'hello', which is no sound"):
        read(b"hello")
    with pytest.raises(DataError, match=r"pipe: has 9 samples a second; expected 1,000"):
        read(TONE.tobytes(), 9)
    with pytest.raises(DataError, match=r"pipe: has 790 of the 800 bytes of samples"):
        read(write_wave(TONE, 8000)[:-10])
    with pytest.raises(DataError, match=r"without samples in its first 1,048,576 bytes"):
        read(write_wave(TONE, 8000)[:20])
    with pytest.raises(DataError, match=r"without samples in its first"):
        read(b"RIFF\0\0\0\0WAVE" + struct.pack("<4sI", b"LIST", 0xFFFFFFFF) + b"x" * 99)
    nan = np.full(5, np.nan, "<f4").tobytes()
    with pytest.raises(DataError, match=r"5 of 5 samples are no numbers"):
        read(packed(nan, 3, 32))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_no_bytes_make_it_fail_otherwise(data: Any) -> None:
    whole = bytearray(write_wave(TONE[:50], 8000))
    for _ in range(data.draw(st.integers(0, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with suppress(DataError):
        read(cut, data.draw(st.sampled_from([0, 0, 8000])))
