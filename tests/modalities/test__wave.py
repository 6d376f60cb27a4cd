"""WAVE files: every coding of plain samples, and headers that lie."""

import struct
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.modalities._wave import is_wave, open_wave, write_wave

TONE = (8000 * np.sin(np.arange(400) / 7)).astype(np.int16)


def packed(
    body: bytes, coding: int = 1, bits: int = 16, channels: int = 1, rate: int = 8000, **odd: Any
) -> bytes:
    """Write a WAVE file with any header."""
    block = odd.get("block", bits // 8 * channels)
    form = struct.pack("<HHIIHH", coding, channels, rate, 0, block, bits)
    form += odd.get("more", b"")
    size = odd.get("size", len(body))
    chunks = struct.pack("<4sI", b"fmt ", len(form)) + form + odd.get("between", b"")
    chunks += struct.pack("<4sI", b"data", size) + body
    return bytes(struct.pack("<4sI4s", b"RIFF", 4 + len(chunks), b"WAVE") + chunks)


def samples(data: bytes) -> Any:
    wave = open_wave(data, "a.wav")
    return wave.mono(0, wave.frames)


def test_what_is_written_is_read() -> None:
    data = write_wave(TONE, 8000)
    assert is_wave(data)
    wave = open_wave(data, "a.wav")
    assert (wave.form.rate, wave.form.channels, wave.frames) == (8000, 1, 400)
    assert np.array_equal(wave.mono(0, 400), TONE)
    assert np.array_equal(wave.mono(10, 5), TONE[10:15])
    assert not len(wave.mono(900, 5))


@pytest.mark.parametrize(
    ("coding", "bits", "body", "loss"),
    [
        (1, 8, ((TONE >> 8) + 128).astype(np.uint8).tobytes(), 256),
        (1, 16, TONE.tobytes(), 0),
        (1, 24, b"".join((int(x) << 8).to_bytes(3, "little", signed=True) for x in TONE), 0),
        (1, 32, (TONE.astype(np.int32) << 16).tobytes(), 0),
        (3, 32, (TONE / np.float32(32768)).astype("<f4").tobytes(), 1e-3),
        (3, 64, (TONE / 32768).tobytes(), 1e-9),
    ],
)
def test_every_coding_has_one_scale(coding: int, bits: int, body: bytes, loss: float) -> None:
    assert abs(samples(packed(body, coding, bits)) - TONE).max() <= loss
    guid = struct.pack("<HHIH14s", 22, bits, 0, coding, b"\0" * 14)
    assert abs(samples(packed(body, 0xFFFE, bits, more=guid)) - TONE).max() <= loss


def test_channels_are_mixed_to_their_mean() -> None:
    both = np.stack([TONE, np.zeros_like(TONE)], axis=1)
    assert np.array_equal(samples(packed(both.tobytes(), channels=2)), TONE / 2)


def test_other_chunks_are_passed_over() -> None:
    odd = struct.pack("<4sI", b"LIST", 5) + b"hello\0"
    assert np.array_equal(samples(packed(TONE.tobytes(), between=odd)), TONE)


def test_a_stream_that_did_not_know_its_size_is_read() -> None:
    assert np.array_equal(samples(packed(TONE.tobytes(), size=0xFFFFFFFF)), TONE)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (packed(b"", size=800), r"a.wav: has 0 of the 800 bytes of samples that its header promis"),
        (packed(TONE.tobytes())[:500], r"has 456 of the 800 bytes .* It is cut off: copy it again"),
        (packed(TONE.tobytes())[:30], r"a WAVE file of 30 bytes without samples; expected a chunk"),
        (packed(b"", rate=4), r"a.wav: has 4 samples a second; expected 1,000 to 192,000. Is the"),
        (packed(b"", rate=2**32 - 1), r"a.wav: has 4,294,967,295 samples a second; expected 1,000"),
        (packed(b"", channels=0), r"a.wav: has 0 channels; expected 1 to 32"),
        (packed(b"", channels=999), r"a.wav: has 999 channels; expected 1 to 32"),
        (packed(b"", block=3), r"1 channels of 16 bits in blocks of 3 bytes; expected 2. The head"),
        (b"RIFF\0\0\0\0WAVEdata\0\0\0\0", r"does not say how its samples are coded; expected a ch"),
    ],
)
def test_headers_that_lie_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        open_wave(data, "a.wav")


def test_other_codings_are_left_to_others() -> None:
    assert not open_wave(packed(b"abc", coding=7, bits=8), "a.wav").form.readable
